const list = `
  about after again all also always and any are around away back because been being both but can close could did does done
  down each else even ever every for from front full get gets getting give given goes going gone got had half has have here
  high how into itself just keep kept know large last later left less let like long look looks looking lot lots low made make
  makes making many may might more most much must near never new next none nor not now off often once only onto or other others
  our out outside over own part past per please put quite rather real really right said same see seen sees several shall she
  should show shows showing side since still such take taken takes than them then there these they thing things those through
  thus till together too top toward towards two under until upon use used uses using various very via want was way well went
  were what when where which while who whole whose why will would yes yet you your bottom center centre corner edge middle
  end ends beginning set sets piece pieces bit kind kinds sort sorts type types form forms shape shapes number amount
  image images picture pictures photo photos photograph photographs photography photographer illustration illustrations
  drawing drawings render renders rendering artwork artworks art arts design designs designer concept wallpaper background
  backgrounds foreground scene scenes scenery view views shot shots angle lens frame frames focus exposure bokeh close-up
  closeup macro resolution quality detail details masterpiece style styles theme composition lighting light lights shadow
  shadows colour colours color colors texture textures pattern patterns contrast effect effects depth perspective portrait
  master masters artist artists author character characters subject subjects model models figure figures hero look face faces
  head heads body bodies hand hands arm arms leg legs hair eye eyes skin mouth nose ear ears tail tails finger fingers
  foot feet back shoulder shoulders architecture architectural engine unreal octane cover content caption
  place places area areas spot space people everyone everybody anyone anybody nobody member members individual individuals
  fall spring summer work works play plays run runs walk walks stand stands sit sits ride rides rest stay stop start
  home day days night nights year years time times hour hours moment life world state line lines point points plain
  seahorse calculus male males female females adult adults other lot lover lovers enemy enemies love
  major senior junior private public general natural native ordinary regular
  general minor patient leader leaders owner owners member star stars fan club party group groups crowd couple pair bitch slut diner drone
  con para por sin entre los las del una uno mit auf der die das den dem des ein eine und von bei les une dans sur avec sous est`

/**
 * Words that mean nothing to be seen in most prompts, although a dictionary has a thing or a person of that name: little words
 * of grammar, words about the picture itself, parts of bodies, and parts of anything.
 */
export const unreadable: ReadonlySet<string> = new Set(list.trim().split(/\s+/))
