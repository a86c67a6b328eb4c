-- Rate limits that several processes share, counted in the statement that sets credit aside; and the log of refusals.

create type limit_period as enum ('minute', 'day');

-- How much of a limit is used in one window. A window that has passed simply no longer counts: nothing has to be reset,
-- and old rows are removed when there is time. Not worth a place in the write-ahead log: a database that crashes forgets
-- these, and callers get a little more than their limit.
create unlogged table limit_counter (
  -- A key or wallet with a model, an account, or everybody. Compared byte by byte, as the service sorts them.
  subject text collate "C" not null,
  period limit_period not null,
  starts_at timestamptz not null,
  requests bigint not null,
  tokens bigint not null,
  primary key (subject, period, starts_at)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create type limit_type as enum ('RPM', 'RPD', 'TPM', 'FAILED_REQUESTS', 'UNSUPPORTED_FEATURE_REQUESTS');

-- The newest refusals of each account; older ones are removed when new ones are written.
create table rate_limit_log (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  -- Null for callers without a key.
  api_key_id uuid,
  -- '' for requests without a model.
  model text not null,
  tier text not null,
  type limit_type not null,
  at timestamptz not null
);

create index rate_limit_log_by_account on rate_limit_log (account_id, at, id);

-- Takes the place of the function of the same name in 0004, which counts nothing.
drop function ledger_hold_batch(uuid[], uuid[], uuid[], uuid[], text[], boolean[], bigint[], bigint[], bigint[], bigint[],
                                text[], text[], timestamptz, timestamptz);

-- Sets credit aside for requests, or more of it for requests that already have some. Each asks for at least `least` and
-- at most `most`, in USD and in diem: the same goods at two prices. Diem is taken first, then bundled credits, then USD,
-- within what the key may still spend. Outcomes: held, replay, limited, gone, balance, usd limit, diem limit.
--
-- Requests are counted on their rate limits on the way, so that one round trip decides about both. Counters are named
-- once for the whole batch; uses say where requests are counted, each from its first to its last use, if it has any. No
-- maximum means no limit. A request without room in one of its counters is counted in none, and nothing is held for it;
-- one that cannot be paid counts as a request, but uses no tokens; one that repeats an answer is not counted. `counted`
-- says which use was in the way (0 for none, from 1, negative if for want of tokens) and what is used of each, requests
-- and tokens in turn.
--
-- Counters of an owner are only touched under the lock on the owner, like everything else that belongs to one. The first
-- ones, as many as `unowned` says, belong to nobody, and are locked after all owners, here as in limits_correct: so
-- batches of several processes cannot deadlock.
create function ledger_hold_batch(
  owners uuid[], requests uuid[], accounts uuid[], api_keys uuid[], models text[], extensions boolean[],
  least_usds bigint[], least_diems bigint[], most_usds bigint[], most_diems bigint[],
  idempotency_hashes text[], fingerprints text[], at timestamptz, expires timestamptz,
  unowned integer default 0, subjects text[] default '{}', periods limit_period[] default '{}', starts timestamptz[] default '{}',
  first_uses integer[] default '{}', last_uses integer[] default '{}', use_counters integer[] default '{}',
  use_request_maxes bigint[] default '{}', use_token_maxes bigint[] default '{}', use_tokens bigint[] default '{}')
returns table (request_id uuid, outcome text, usd bigint, bundled bigint, diem bigint,
               usd_account bigint, bundled_account bigint, diem_account bigint, before_usd bigint, before_diem bigint,
               counted text)
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
  used_requests bigint[]; used_tokens bigint[];
  first_use integer; last_use integer; refused_by integer; counter integer;
begin
  perform ledger_lock(owners);
  if cardinality(subjects) > 0 then
    -- Nobody should wait long for counters: what cannot have them is tried without.
    perform set_config('lock_timeout', '1s', true);
    if unowned > 0 then
      insert into limit_counter (subject, period, starts_at, requests, tokens)
        select u.subject, u.period, u.start, 0, 0
        from unnest(subjects[:unowned], periods[:unowned], starts[:unowned]) as u(subject, period, start)
        on conflict do nothing;
      for place in 1..unowned loop
        perform from limit_counter c
          where c.subject = subjects[place] and c.period = periods[place] and c.starts_at = starts[place] for update;
      end loop;
    end if;
    select array_agg(coalesce(c.requests, 0) order by u.place), array_agg(coalesce(c.tokens, 0) order by u.place)
      into used_requests, used_tokens
      from unnest(subjects, periods, starts) with ordinality as u(subject, period, start, place)
      left join lateral (select c.requests, c.tokens from limit_counter c
                         where c.subject = u.subject and c.period = u.period and c.starts_at = u.start limit 1) c on true;
  end if;
  perform ledger_grant_diem(s.account_id, today, at) from diem_stake s where s.account_id = any(owners) and s.day < today;

  for item in
    select i.*, c.*, h.usd as held_usd, h.bundled as held_bundled, h.diem as held_diem,
           k.limit_usd, k.limit_diem, k.limit_period
    -- The place in the batch makes the order complete: the row that brings the owner's balances must come first.
    from (select r.*, lag(r.account) over (order by r.account, r.api_key, r.place) is distinct from r.account as is_new_owner
          from unnest(requests, accounts, api_keys, models, extensions, least_usds, least_diems, most_usds, most_diems,
                      idempotency_hashes, fingerprints, first_uses, last_uses) with ordinality
            as r(request, account, api_key, model, is_extension, least_usd, least_diem, most_usd, most_diem,
                 idempotency, fingerprint, first_use, last_use, place)) i
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
    refused_by := 0;
    first_use := coalesce(item.first_use, 1);
    last_use := coalesce(item.last_use, 0);

    <<decide>>
    begin
      if item.idempotency is not null
        and not ledger_claim_key(item.account, item.idempotency, item.fingerprint, item.request, at) then
        outcome := 'replay';
        exit decide;
      end if;

      for use in first_use..last_use loop
        counter := use_counters[use];
        if used_requests[counter] >= use_request_maxes[use] then
          refused_by := use - first_use + 1;
        -- A request that is larger than a whole window gets one that is untouched.
        elsif used_tokens[counter] + least(use_tokens[use], use_token_maxes[use]) > use_token_maxes[use] then
          refused_by := first_use - use - 1;
        end if;
        if refused_by <> 0 then
          outcome := 'limited';
          exit decide;
        end if;
      end loop;
      for use in first_use..last_use loop
        used_requests[use_counters[use]] := used_requests[use_counters[use]] + 1;
      end loop;

      diem := greatest(0, least(item.most_diem, free_diem, room_diem));
      if item.is_extension then
        select h.diem_account into held from ledger_hold h where h.request_id = item.request;
        if not found then
          outcome := 'gone';
          exit decide;
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
        exit decide;
      end if;

      outcome := 'held';
      bundled := least(total_usd, free_bundled);
      usd := total_usd - bundled;
      free_usd := free_usd - usd;
      free_bundled := free_bundled - bundled;
      free_diem := free_diem - diem;
      room_usd := room_usd - total_usd;
      room_diem := room_diem - diem;
      for use in first_use..last_use loop
        used_tokens[use_counters[use]] := used_tokens[use_counters[use]] + use_tokens[use];
      end loop;
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
    end decide;

    if outcome not in ('held', 'replay') then
      diem := 0;
      if item.idempotency is not null then
        delete from idempotent_answer a where a.request_id = item.request;
      end if;
    end if;
    counted := null;
    for use in first_use..last_use loop
      counted := concat(coalesce(counted, refused_by::text), ' ', used_requests[use_counters[use]], ' ', used_tokens[use_counters[use]]);
    end loop;
    return next;
  end loop;
  insert into ledger_hold select * from unnest(new_holds);
  if cardinality(subjects) > 0 then
    insert into limit_counter as c (subject, period, starts_at, requests, tokens)
      select u.subject, u.period, u.start, u.requests, u.tokens
      from unnest(subjects, periods, starts, used_requests, used_tokens) as u(subject, period, start, requests, tokens)
      on conflict on constraint limit_counter_pkey do update set requests = excluded.requests, tokens = excluded.tokens;
  end if;
end $$;

-- Adds to counters what requests turned out to use beyond their estimates, or takes away what they did not. Runs in the
-- statement that settles them. Only minutes have limits of tokens. Each minute, earliest first, brings its subjects from
-- its first to its last place, in order, so width_bucket finds the place of each by halving.
create function limits_correct(minutes timestamptz[], first_places integer[], last_places integer[], subjects text[], deltas bigint[])
returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  here text[] collate "C";
  their bigint[];
begin
  perform set_config('lock_timeout', '1s', true);
  for minute in 1..cardinality(minutes) loop
    here := subjects[first_places[minute]:last_places[minute]];
    their := deltas[first_places[minute]:last_places[minute]];
    update limit_counter c set tokens = greatest(0, c.tokens + their[width_bucket(c.subject, here)])
      where c.subject = any(here) and c.period = 'minute' and c.starts_at = minutes[minute];
  end loop;
end $$;
