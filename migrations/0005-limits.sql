-- Rate limits that several processes share, counted in the statement that sets credit aside; and the log of refusals.

create type limit_period as enum ('minute', 'day');

-- How much of a limit is used in one window. A window that has passed simply no longer counts: nothing has to be reset,
-- and old rows are removed when there is time. Not worth a place in the write-ahead log: a database that crashes forgets
-- these, and callers get a little more than their limit.
create unlogged table limit_counter (
  -- A key or wallet with a model, an account, or everybody.
  subject text not null,
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

-- As ledger_hold_batch, for requests whose limits are counted first: one round trip decides about both. Requests without
-- room in one of their limits are not held, and not counted either. Counters of an owner are touched only under the lock
-- on the owner, like everything else that belongs to one; the `unowned` first ones, which belong to nobody, are locked
-- after all owners, here and in limits_correct, so that batches of several processes cannot deadlock.
--
-- Uses say which request is counted where, in the order of the requests. No maximum means no limit.
--
-- The last row has no request. Its `counted` has one part for each request that has uses, divided by ';': the use
-- that is in the way (0 for none, from 1, negative if for want of tokens), then requests and tokens used of each use.
-- Trouble with the counters never keeps anybody from being served: `counted` is then null, and `trouble` says why.
create function ledger_admit_batch(
  owners uuid[], requests uuid[], accounts uuid[], api_keys uuid[], models text[], extensions boolean[],
  least_usds bigint[], least_diems bigint[], most_usds bigint[], most_diems bigint[],
  idempotency_hashes text[], fingerprints text[], at timestamptz, expires timestamptz,
  unowned integer, subjects text[], periods limit_period[], starts timestamptz[],
  use_requests integer[], use_counters integer[], use_request_maxes bigint[], use_token_maxes bigint[], use_tokens bigint[])
returns table (request_id uuid, outcome text, usd bigint, bundled bigint, diem bigint,
               usd_account bigint, bundled_account bigint, diem_account bigint, before_usd bigint, before_diem bigint,
               counted text, trouble text)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_variable
declare
  uses constant integer := cardinality(use_requests);
  used_requests bigint[];
  used_tokens bigint[];
  admitted boolean[];
  held_requests uuid[] := requests;
  place integer; first integer; last integer; use integer; refused_by integer; counter integer;
  text_of_all text;
begin
  perform ledger_lock(owners);

  begin
    if unowned > 0 then
      insert into limit_counter (subject, period, starts_at, requests, tokens)
        select u.subject, u.period, u.start, 0, 0
        from unnest(subjects[:unowned], periods[:unowned], starts[:unowned]) as u(subject, period, start)
        on conflict do nothing;
      for counter in 1..unowned loop
        perform from limit_counter c
          where c.subject = subjects[counter] and c.period = periods[counter] and c.starts_at = starts[counter] for update;
      end loop;
    end if;
    select array_agg(coalesce(c.requests, 0) order by u.place), array_agg(coalesce(c.tokens, 0) order by u.place)
      into used_requests, used_tokens
      from unnest(subjects, periods, starts) with ordinality as u(subject, period, start, place)
      left join lateral (select c.requests, c.tokens from limit_counter c
                         where c.subject = u.subject and c.period = u.period and c.starts_at = u.start limit 1) c on true;

    admitted := array_fill(true, array[cardinality(requests)]);
    first := 1;
    while first <= uses loop
      place := use_requests[first];
      refused_by := 0;
      last := first;
      loop
        counter := use_counters[last];
        if refused_by = 0 then
          if used_requests[counter] >= use_request_maxes[last] then
            refused_by := last - first + 1;
          -- A request that is larger than a whole window gets one that is untouched.
          elsif used_tokens[counter] + least(use_tokens[last], use_token_maxes[last]) > use_token_maxes[last] then
            refused_by := first - last - 1;
          end if;
        end if;
        exit when last = uses or use_requests[last + 1] <> place;
        last := last + 1;
      end loop;
      admitted[place] := refused_by = 0;
      text_of_all := concat(text_of_all || ';', refused_by);
      for use in first..last loop
        counter := use_counters[use];
        if refused_by = 0 then
          used_requests[counter] := used_requests[counter] + 1;
          used_tokens[counter] := used_tokens[counter] + use_tokens[use];
        end if;
        text_of_all := concat(text_of_all, ' ', used_requests[counter], ' ', used_tokens[counter]);
      end loop;
      first := last + 1;
    end loop;
  exception when others then
    trouble := sqlerrm;
    text_of_all := null;
    admitted := array_fill(true, array[cardinality(requests)]);
  end;

  if admitted @> array[false] then
    select array_agg(u.request), array_agg(u.account), array_agg(u.api_key), array_agg(u.model), array_agg(u.extension),
           array_agg(u.least_usd), array_agg(u.least_diem), array_agg(u.most_usd), array_agg(u.most_diem),
           array_agg(u.idempotency), array_agg(u.fingerprint)
      into held_requests, accounts, api_keys, models, extensions, least_usds, least_diems, most_usds, most_diems,
           idempotency_hashes, fingerprints
      from unnest(requests, accounts, api_keys, models, extensions, least_usds, least_diems, most_usds, most_diems,
                  idempotency_hashes, fingerprints, admitted)
        as u(request, account, api_key, model, extension, least_usd, least_diem, most_usd, most_diem,
             idempotency, fingerprint, is_admitted)
      where u.is_admitted;
  end if;
  if cardinality(held_requests) > 0 then
    for request_id, outcome, usd, bundled, diem, usd_account, bundled_account, diem_account, before_usd, before_diem in
      select * from ledger_hold_batch(owners, held_requests, accounts, api_keys, models, extensions, least_usds, least_diems,
                                      most_usds, most_diems, idempotency_hashes, fingerprints, at, expires)
    loop
      return next;
      -- What does not run uses no tokens, and who gets an answer again has not asked again.
      if outcome <> 'held' and trouble is null then
        place := array_position(requests, request_id);
        use := array_position(use_requests, place);
        while use_requests[use] = place loop
          counter := use_counters[use];
          used_tokens[counter] := used_tokens[counter] - use_tokens[use];
          if outcome = 'replay' then used_requests[counter] := used_requests[counter] - 1; end if;
          use := use + 1;
        end loop;
      end if;
    end loop;
  end if;

  if trouble is null then
    begin
      insert into limit_counter as c (subject, period, starts_at, requests, tokens)
        select u.subject, u.period, u.start, u.requests, u.tokens
        from unnest(subjects, periods, starts, used_requests, used_tokens) as u(subject, period, start, requests, tokens)
        on conflict on constraint limit_counter_pkey do update set requests = excluded.requests, tokens = excluded.tokens;
    exception when others then
      trouble := sqlerrm;
    end;
  end if;
  request_id := null; outcome := null;
  usd := null; bundled := null; diem := null;
  usd_account := null; bundled_account := null; diem_account := null; before_usd := null; before_diem := null;
  counted := text_of_all;
  return next;
end $$;

-- Adds to counters what requests turned out to use beyond their estimates, or takes away what they did not. Returns what
-- went wrong, if anything did. Counters come in the order of ledger_admit_batch turned around: owned ones need no lock
-- of their own, and those of nobody come last.
create function limits_correct(subjects text[], periods limit_period[], starts timestamptz[], deltas bigint[]) returns text
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
begin
  for counter in 1..cardinality(subjects) loop
    update limit_counter c set tokens = greatest(0, c.tokens + deltas[counter])
      where c.subject = subjects[counter] and c.period = periods[counter] and c.starts_at = starts[counter];
  end loop;
  return null;
exception when others then
  return sqlerrm;
end $$;
