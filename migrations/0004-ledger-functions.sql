-- The two statements that every paid request runs: one before the work, one after it. Both take a batch of requests and
-- first lock the USD accounts of all owners in it, in order. Whatever else belongs to an owner is touched only under that
-- lock, so batches of several processes cannot deadlock, and decisions are made on what is true now.
--
-- They are planned once, with index lookups only: planning takes longer than the work, and a scan or a hash join that
-- was right while a table was small would be kept when it has grown. No bitmap scans either: they do not clean the index
-- on their way, so every hold of an account would walk past all that were settled since the last vacuum.

-- Locks owners in a fixed order and says when the last request of any of them was settled. An owner who never had credit
-- gets an empty account to lock.
create function ledger_lock(owners uuid[]) returns timestamptz language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  locked integer;
  last_settled timestamptz;
begin
  loop
    select count(*), max(l.settled_at) into locked, last_settled from (
      select a.settled_at from ledger_account a
      where a.owner = any(owners) and a.day = 'infinity' and a.currency = 'USD' and a.kind = 'credit'
      order by a.owner for update) l;
    if locked = cardinality(owners) then return last_settled; end if;
    insert into ledger_account (owner, currency, kind) select o, 'USD', 'credit' from unnest(owners) o order by o
      on conflict do nothing;
  end loop;
end $$;

-- Gives an owner the diem of a day. What was given before on the same day counts, and a lowered stake counts from
-- tomorrow on: nothing is taken away.
create function ledger_grant_diem(owner_id uuid, today date, at timestamptz) returns void language plpgsql as $$
declare
  stake record;
  due bigint;
  day_account bigint;
  transfer constant uuid := gen_random_uuid();
begin
  select s.amount, case when s.day = today then s.granted else 0 end as granted into stake
    from diem_stake s where s.account_id = owner_id and s.day <= today for update;
  if not found then return; end if;
  -- Below a tenth of a diem nothing can be spent.
  due := greatest(0, case when stake.amount < 100000000 then 0 else stake.amount end - stake.granted);
  update diem_stake set day = today, granted = stake.granted + due where account_id = owner_id;
  if due = 0 then return; end if;
  insert into ledger_account as a (owner, currency, kind, day, balance) values (owner_id, 'DIEM', 'credit', today, due)
    on conflict (owner, day, currency, kind) do update set balance = a.balance + excluded.balance
    returning id into day_account;
  -- The key says what was granted before on that day, so the grants of a day are a chain that can be proven.
  insert into ledger_transfer (id, idempotency_key, kind, account_id, currency, amount, created_at)
    values (transfer, format('diem:%s:%s:%s', owner_id, today, stake.granted), 'diem', owner_id, 'DIEM', due, at);
  insert into ledger_entry (transfer_id, account_id, amount)
    select transfer, day_account, due
    union all
    select transfer, id, -due from ledger_account where owner is null and currency = 'DIEM' and kind = 'granted';
end $$;

-- What is left to pay in USD when a part of the price was paid in diem. The only rounding, and upwards.
create function ledger_rest(price_usd bigint, price_diem bigint, paid_diem bigint) returns bigint immutable language sql as $$
  select case
    when paid_diem = 0 then price_usd
    when paid_diem >= price_diem then 0
    else div(price_usd::numeric * (price_diem - paid_diem) + price_diem - 1, price_diem)::bigint
  end
$$;

-- What a key may still spend: its limits, less what it spent in their window, less what is held for it.
create function ledger_key_room(
  owner_id uuid, key_id uuid, limit_usd numeric, limit_diem numeric, period text, today date,
  out usd bigint, out diem bigint)
language plpgsql as $$
declare
  spent record;
  held record;
begin
  -- A window of a clock ahead of ours is the newest there is, so it counts.
  select case when period = 'LIFETIME' then k.life_usd
              when period = 'MONTH' and k.day >= date_trunc('month', today) then k.month_usd
              when period = 'EPOCH' and k.day >= today then k.usd else 0 end as usd,
         case when period = 'LIFETIME' then k.life_diem
              when period = 'MONTH' and k.day >= date_trunc('month', today) then k.month_diem
              when period = 'EPOCH' and k.day >= today then k.diem else 0 end as diem
    into spent from usage_by_key k where k.account_id = owner_id and k.api_key_id = key_id order by k.day desc limit 1;
  select coalesce(sum(h.usd + h.bundled), 0) as usd, coalesce(sum(h.diem), 0) as diem
    into held from ledger_hold h where h.account_id = owner_id and h.api_key_id = key_id;
  usd := coalesce(trunc(least(limit_usd * 1000000000, 9000000000000000000)) - held.usd - coalesce(spent.usd, 0), 9000000000000000000);
  diem := coalesce(trunc(least(limit_diem * 1000000000, 9000000000000000000)) - held.diem - coalesce(spent.diem, 0), 9000000000000000000);
end $$;

-- Makes a request the one that answers for an Idempotency-Key. False when another one does or did: its answer counts.
create function ledger_claim_key(owner_id uuid, hash text, print text, request uuid, at timestamptz) returns boolean
language plpgsql as $$
declare
  earlier record;
begin
  select a.request_id, a.answer is not null as is_answered, a.made_at into earlier
    from idempotent_answer a where a.account_id = owner_id and a.key_hash = decode(hash, 'hex');
  if found then
    if earlier.made_at > at - interval '24 hours'
      and (earlier.is_answered or exists (select from ledger_hold h where h.request_id = earlier.request_id))
    then return false; end if;
    delete from idempotent_answer where account_id = owner_id and key_hash = decode(hash, 'hex');
  end if;
  insert into idempotent_answer (account_id, key_hash, fingerprint, request_id, made_at)
    values (owner_id, decode(hash, 'hex'), decode(print, 'hex'), request, at);
  return true;
end $$;

-- Sets credit aside for requests, or more of it for requests that already have some. Each asks for at least `least` and
-- at most `most`, in USD and in diem: the same goods at two prices. Diem is taken first, then bundled credits, then USD,
-- within what the key may still spend. Outcomes: held, replay, gone, balance, usd limit, diem limit.
create function ledger_hold_batch(
  owners uuid[], requests uuid[], accounts uuid[], api_keys uuid[], models text[], extensions boolean[],
  least_usds bigint[], least_diems bigint[], most_usds bigint[], most_diems bigint[],
  idempotency_hashes text[], fingerprints text[], at timestamptz, expires timestamptz)
returns table (request_id uuid, outcome text, usd bigint, bundled bigint, diem bigint,
               usd_account bigint, bundled_account bigint, diem_account bigint, before_usd bigint, before_diem bigint)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_variable
declare
  unlimited constant bigint := 9000000000000000000;
  today constant date := (at at time zone 'UTC')::date;
  item record;
  held record;
  new_holds ledger_hold[];
  key_now uuid;
  free_usd bigint; free_bundled bigint; free_diem bigint;
  room_usd bigint; room_diem bigint;
  cap_usd bigint; need_usd bigint; total_usd bigint;
  is_diem_spent boolean;
begin
  perform ledger_lock(owners);
  perform ledger_grant_diem(s.account_id, today, at) from diem_stake s where s.account_id = any(owners) and s.day < today;

  for item in
    select i.*, c.*, h.usd as held_usd, h.bundled as held_bundled, h.diem as held_diem,
           k.limit_usd, k.limit_diem, k.limit_period
    -- The place in the batch makes the order complete: the row that brings the owner's balances must come first.
    from (select r.*, lag(r.account) over (order by r.account, r.api_key, r.place) is distinct from r.account as is_new_owner
          from unnest(requests, accounts, api_keys, models, extensions, least_usds, least_diems, most_usds, most_diems,
                      idempotency_hashes, fingerprints) with ordinality
            as r(request, account, api_key, model, is_extension, least_usd, least_diem, most_usd, most_diem,
                 idempotency, fingerprint, place)) i
    -- What belongs to the owner is read once. Sums and LIMIT keep these from being turned into scans of the whole table.
    left join lateral (select max(a.id) filter (where a.currency = 'USD') as usd_id,
                              max(a.balance) filter (where a.currency = 'USD') as usd_balance,
                              max(a.id) filter (where a.currency = 'BUNDLED_CREDITS') as bundled_id,
                              max(a.balance) filter (where a.currency = 'BUNDLED_CREDITS') as bundled_balance,
                              max(a.id) filter (where a.currency = 'DIEM') as diem_id,
                              max(a.balance) filter (where a.currency = 'DIEM') as diem_balance
                       from ledger_account a
                       where i.is_new_owner and a.owner = i.account and a.day in (today, 'infinity') and a.kind = 'credit') c on true
    left join lateral (select sum(a.usd) as usd, sum(a.bundled) as bundled, sum(a.diem) filter (where a.diem_account = c.diem_id) as diem
                       from ledger_hold a where i.is_new_owner and a.account_id = i.account) h on true
    left join lateral (select a.limit_usd, a.limit_diem, a.limit_period from api_key a where a.id = i.api_key limit 1) k on true
    order by i.account, i.api_key, i.place
  loop
    if item.is_new_owner then
      usd_account := item.usd_id;
      bundled_account := item.bundled_id;
      diem_account := item.diem_id;
      free_usd := item.usd_balance - coalesce(item.held_usd, 0);
      free_bundled := coalesce(item.bundled_balance - coalesce(item.held_bundled, 0), 0);
      free_diem := coalesce(item.diem_balance - coalesce(item.held_diem, 0), 0);
    end if;
    if item.is_new_owner or key_now is distinct from item.api_key then
      key_now := item.api_key;
      room_usd := unlimited;
      room_diem := unlimited;
      if item.limit_usd is not null or item.limit_diem is not null then
        select r.usd, r.diem into room_usd, room_diem
          from ledger_key_room(item.account, item.api_key, item.limit_usd, item.limit_diem, item.limit_period, today) r;
      end if;
    end if;
    request_id := item.request;
    before_usd := free_usd + free_bundled;
    before_diem := free_diem;
    usd := 0; bundled := 0; diem := 0;

    if item.idempotency is not null
      and not ledger_claim_key(item.account, item.idempotency, item.fingerprint, item.request, at) then
      outcome := 'replay';
      return next;
      continue;
    end if;

    diem := greatest(0, least(item.most_diem, free_diem, room_diem));
    if item.is_extension then
      select h.diem_account into held from ledger_hold h where h.request_id = item.request;
      if not found then
        outcome := 'gone'; diem := 0;
        return next;
        continue;
      end if;
      -- A hold has the diem of one day only.
      if held.diem_account <> diem_account then diem := 0; end if;
    end if;
    cap_usd := greatest(0, least(free_usd + free_bundled, room_usd));
    -- A key that was given a diem limit and no USD must not go on in USD when that limit is reached.
    is_diem_spent := diem < item.most_diem and room_diem < free_diem and coalesce(item.limit_usd, 0) = 0;
    if is_diem_spent then cap_usd := 0; end if;
    total_usd := least(ledger_rest(item.most_usd, item.most_diem, diem), cap_usd);
    need_usd := ledger_rest(item.least_usd, item.least_diem, diem);
    if total_usd < need_usd then
      outcome := case when is_diem_spent then 'diem limit' when room_usd < need_usd then 'usd limit' else 'balance' end;
      diem := 0;
      if item.idempotency is not null then
        delete from idempotent_answer a where a.request_id = item.request;
      end if;
      return next;
      continue;
    end if;

    outcome := 'held';
    bundled := least(total_usd, free_bundled);
    usd := total_usd - bundled;
    free_usd := free_usd - usd;
    free_bundled := free_bundled - bundled;
    free_diem := free_diem - diem;
    room_usd := room_usd - total_usd;
    room_diem := room_diem - diem;
    if item.is_extension then
      update ledger_hold h set usd = h.usd + ledger_hold_batch.usd, bundled = h.bundled + ledger_hold_batch.bundled,
          diem = h.diem + ledger_hold_batch.diem, expires_at = greatest(h.expires_at, expires),
          bundled_account = coalesce(h.bundled_account, ledger_hold_batch.bundled_account),
          diem_account = coalesce(h.diem_account, ledger_hold_batch.diem_account)
        where h.request_id = item.request;
    else
      new_holds := new_holds || row(item.request, item.account, item.api_key, item.model, usd, bundled, diem,
        usd_account, bundled_account, diem_account, at, expires)::ledger_hold;
    end if;
    return next;
  end loop;
  insert into ledger_hold select * from unnest(new_holds);
end $$;

-- Ends requests: pays what they cost out of their holds, gives the rest back, and writes down why. The caller brings the
-- sums per account, key and model. They are right only if every request still has exactly its hold; if one of several
-- has not, nothing is done (error TS001), and the caller tries them one by one. Outcomes: settled, already, gone.
--
-- Requests, claims and accounts that pay come in order, so width_bucket finds the place of each by halving. Joining a
-- table with the arrays instead would be planned as a scan of all of it if the first call meets an empty database.
create function ledger_settle_batch(
  owners uuid[], at timestamptz,
  requests uuid[], accounts uuid[], api_keys uuid[], outcomes usage_outcome[], only_if_expired boolean[],
  held_usds bigint[], held_bundleds bigint[], held_diems bigint[], usds bigint[], bundleds bigint[], diems bigint[],
  began_ats timestamptz[], models text[], counted_bys text[],
  -- One line of JSON for each: as an array every quote in it would have to be escaped and read again.
  line_texts text,
  prompt_tokens bigint[], completion_tokens bigint[],
  -- Only for requests with an Idempotency-Key; no answer means that the next try runs afresh.
  claim_requests uuid[], claim_answers bytea[],
  -- Each payment, from one account to another.
  entry_requests uuid[], entry_payers bigint[], entry_payees bigint[], entry_amounts bigint[],
  -- What is paid out of each account. Every USD account of the batch is among them, also with nothing to pay.
  paid_accounts bigint[], paid_amounts bigint[],
  -- What was used, per account, model and part, and per account and key.
  part_accounts uuid[], part_models text[], part_names text[], part_model_types text[], part_unit_types text[],
  part_units bigint[], part_usds bigint[], part_diems bigint[],
  key_accounts uuid[], key_ids uuid[], key_units bigint[], key_usds bigint[], key_diems bigint[])
returns text
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  -- Later than whatever was settled before for these owners. A clock that is far ahead of ours must be wrong, and
  -- is not followed.
  last_settled constant timestamptz := ledger_lock(owners);
  moment constant timestamptz := case when last_settled between at and at + interval '5 seconds'
                                      then last_settled + interval '1 microsecond' else at end;
  today constant date := (moment at time zone 'UTC')::date;
  this_month constant date := date_trunc('month', today)::date;
  ended integer;
  paid integer;
  earlier usage_outcome;
begin
  delete from ledger_hold h
    where h.request_id = any(requests)
      and h.usd = held_usds[width_bucket(h.request_id, requests)]
      and h.bundled = held_bundleds[width_bucket(h.request_id, requests)]
      and h.diem = held_diems[width_bucket(h.request_id, requests)]
      and (h.expires_at <= at or not only_if_expired[width_bucket(h.request_id, requests)]);
  get diagnostics ended = row_count;
  if ended < cardinality(requests) then
    if cardinality(requests) > 1 then
      raise exception 'a request of this batch has not the hold it should have' using errcode = 'TS001';
    end if;
    select r.outcome into earlier from usage_record r where r.request_id = requests[1];
    return case when earlier = outcomes[1] then 'already' else 'gone' end;
  end if;

  insert into usage_record (request_id, account_id, api_key_id, began_at, settled_at, model, outcome, counted_by, lines,
                            prompt_tokens, completion_tokens, held_usd, held_bundled, held_diem, usd, bundled, diem)
    select request, account, api_key, began_at, moment, model, outcome, counted_by, lines,
           prompt_tokens, completion_tokens, held_usd, held_bundled, held_diem, usd, bundled, diem
    from unnest(requests, accounts, api_keys, outcomes, held_usds, held_bundleds, held_diems, usds, bundleds, diems,
                began_ats, models, counted_bys, string_to_array(line_texts, E'\n'), prompt_tokens, completion_tokens)
      as i(request, account, api_key, outcome, held_usd, held_bundled, held_diem, usd, bundled, diem,
           began_at, model, counted_by, lines, prompt_tokens, completion_tokens);

  insert into ledger_entry (transfer_id, account_id, amount)
    select e.request, side.account, side.amount
    from unnest(entry_requests, entry_payers, entry_payees, entry_amounts) as e(request, payer, payee, amount),
         lateral (values (e.payer, -e.amount), (e.payee, e.amount)) as side(account, amount);

  insert into usage_by_model as m (account_id, day, model, part, model_type, unit_type, units, usd, diem)
    select account, today, model, name, model_type, unit_type, units, usd, diem
    from unnest(part_accounts, part_models, part_names, part_model_types, part_unit_types, part_units, part_usds, part_diems)
      as p(account, model, name, model_type, unit_type, units, usd, diem)
    on conflict (account_id, day, model, part) do update
      set units = m.units + excluded.units, usd = m.usd + excluded.usd, diem = m.diem + excluded.diem;

  insert into usage_by_key as k (account_id, api_key_id, day, units, usd, diem, month_usd, month_diem, life_usd, life_diem)
    select s.account, s.id, today, s.units, s.usd, s.diem,
           s.usd + coalesce(l.month_usd, 0), s.diem + coalesce(l.month_diem, 0),
           s.usd + coalesce(l.life_usd, 0), s.diem + coalesce(l.life_diem, 0)
    from unnest(key_accounts, key_ids, key_units, key_usds, key_diems) as s(account, id, units, usd, diem)
    -- The newest row so far: of today, or what a new day begins with.
    left join lateral (select case when n.day >= this_month then n.month_usd end as month_usd,
                              case when n.day >= this_month then n.month_diem end as month_diem, n.life_usd, n.life_diem
                       from usage_by_key n where n.account_id = s.account and n.api_key_id = s.id
                       order by n.day desc limit 1) l on true
    on conflict (account_id, api_key_id, day) do update
      set units = k.units + excluded.units, usd = k.usd + excluded.usd, diem = k.diem + excluded.diem,
          month_usd = excluded.month_usd, month_diem = excluded.month_diem,
          life_usd = excluded.life_usd, life_diem = excluded.life_diem;

  update ledger_account a set balance = a.balance - paid_amounts[width_bucket(a.id, paid_accounts)], settled_at = moment
    where a.id = any(paid_accounts) and a.id = paid_accounts[width_bucket(a.id, paid_accounts)];
  get diagnostics paid = row_count;
  if paid < cardinality(paid_accounts) then raise exception 'accounts that pay are missing or out of order'; end if;

  if cardinality(claim_requests) > 0 then
    update idempotent_answer a set answer = claim_answers[width_bucket(a.request_id, claim_requests)]
      where a.request_id = any(claim_requests) and a.request_id = claim_requests[width_bucket(a.request_id, claim_requests)];
    delete from idempotent_answer a where a.request_id = any(claim_requests) and a.answer is null;
  end if;
  return 'settled';
end $$;
