/** Words that tags of pictures know, but that name no thing to show. */
export const plainWords = new Set(
  `a about above across action active activity add adventure age ago air alive all alone along also always amazing amount
  an ancient and angle animal another any are area around art artistic as at atmosphere atmospheric away awesome back
  background bad bank base be beautiful beauty because been before begin being best better big bit body bold both bottom
  bright brilliant bring brush busy but by call came can care carry cast catch celebrate celebration center centre change
  charming classic clean clear close closeup color colour come comfort composition concept contrast cool could cover crazy
  creative cross cute cut daily dance dancing dark date day deep delicious depict depicted depicting depth design detail
  detailed details different digital direction do does doing done down draw drawing drawn dream dreams dress drive driving
  each early easy eat eating edge elegant emotion empty end energy enjoy epic eternal even ever every everyone everything
  exciting expression extra extreme extremely eye eyes face fall famous fantastic far fashion fast fear feel feeling few
  field fight figure fill find fine finish first fit flag flat float floating flow fly flying focus follow for foreground
  form free fresh friendly from front full fun funny future game get gives giving glad glass glow glowing go good grand
  great group grow grown hair half hand hands hang hanging happen happy hard has have head hear heavy help here hidden high
  highly hold holding holy home hope hot hour how human i idea if illustration image in incredible inside into intricate is
  isolated it its join joy jump jumping just keep key kind know large last late laugh laughing learn left less let level lie
  life lifelike light lighting lights like line list little live living local long look looking lost lot love lovely low
  luck made main make making many masterpiece material may me meaning medium meet memory mid middle mind minimal miss mode
  modern moment month mood more morning most motion motivation move movement much must my mysterious name national natural
  nature near need never new nice no normal north not nothing now number object of off ok old on once one only open or other
  our out outdoor outside over own page pair part pass past peace perfect perspective photo photograph photography pick
  picture piece place plain play playing please point pose position power powerful pray present pretty profile proud public
  pull pure push put quality quick quiet quite race rain rainy raise reach read reading ready real realism realistic really
  red reflection relax rendered rendering resolution rest rich ride right rise romance round royal run running sad safe same
  save say saying says scene scenery scenic science sea season second see seen set shape sharp shine shining shiny shop short
  shot show showing side sign silly simple sing singing sit sitting size sky sleep sleeping slow small smart smell smile
  smiling snow so soft some sound south space special spirit spooky sport spring stand standing star start state stay step
  still stop story strange strength strong studio study stuff style stylized success summer sun sunny sunset super surface
  sweet swim swimming symbol take talk talking tall taste team tell than that the their them then there these they thick
  thin thing things think this those time tiny tired to together tone tones too top touch toward towards transport
  transportation travel treat trip true try turn two type ugly ultra under unique universal up upon us use using vacation
  very vibrant view visual wait walk walking wall want warm was watch watching way we wear wearing weather week welcome well
  were west what when where which while white who wide wild will win wind windy winter wish with within wonder wonderful
  word words work working world would write writing year yellow yes you young your zone 4k 8k hd uhd dslr octane unreal
  trending artstation shallow bokeh lens exposure portrait closeup panorama aerial texture textured pattern gradient
  entanglement quantum bureaucracy abstract nothingness emptiness freedom justice democracy economy philosophy theory
  government religion politics society culture education health medical business finance legal communication information
  technology internet data network system process method entertainment hobby relationship gender identity male female
  direct above beneath between beyond against among during through throughout until without within
  a1 japanese chinese english european american african asian indian mexican fantasy horror sci-fi steampunk cyberpunk
  resting quietly gently softly slowly quickly barely hardly beautifully surrounded covered filled made lit`.split(
    /\s+/,
  ),
)
