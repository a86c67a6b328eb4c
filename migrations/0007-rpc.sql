-- Calls of blockchain nodes: many small ones are paid together, they have limits of their own, and transactions that were
-- sent through us are written down.

-- Requests that were settled together with another one, and how many of its units were theirs.
create table usage_share (
  request_id uuid primary key,
  settled_with uuid not null,
  units bigint not null
);

-- Turns a part of a hold into a hold of its own, which can be settled while the other goes on. Runs in the statement that
-- settles the part. A part that was settled before, when its answer was lost, is left alone.
create function ledger_split_holds(
  owners uuid[], wholes uuid[], parts uuid[], usds bigint[], bundleds bigint[], diems bigint[])
returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  split record;
begin
  perform ledger_lock(owners);
  for split in
    select * from unnest(wholes, parts, usds, bundleds, diems) as s(whole, part, usd, bundled, diem)
  loop
    continue when exists (select from usage_record r where r.request_id = split.part);
    update ledger_hold h set usd = h.usd - split.usd, bundled = h.bundled - split.bundled, diem = h.diem - split.diem
      where h.request_id = split.whole and h.usd >= split.usd and h.bundled >= split.bundled and h.diem >= split.diem;
    -- Without a hold the settlement that follows finds that it is gone.
    continue when not found;
    insert into ledger_hold
      select split.part, h.account_id, h.api_key_id, h.model, split.usd, split.bundled, split.diem,
             h.usd_account, h.bundled_account, h.diem_account, h.made_at, h.expires_at
      from ledger_hold h where h.request_id = split.whole;
  end loop;
  return true;
end $$;

-- Writes down who was settled with whom. Runs in the statement that settles them, and only if it did.
create function usage_share_out(requests uuid[], settled_with uuid[], units bigint[]) returns void language sql as $$
  insert into usage_share (request_id, settled_with, units) select * from unnest(requests, settled_with, units);
$$;

-- Counts calls of blockchain nodes, where several processes share the limits: requests by the minute, and credits by steps
-- of some minutes, of which the last 24 hours are the sum. Subjects come once each and in order, so that processes cannot
-- deadlock.
create function rpc_count(
  subjects text[], new_requests bigint[], new_credits bigint[], minute timestamptz, step timestamptz, since timestamptz)
returns table (requests bigint, credits bigint) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_variable
begin
  for place in 1..cardinality(subjects) loop
    insert into limit_counter as c (subject, period, starts_at, requests, tokens)
      values (subjects[place], 'minute', minute, new_requests[place], 0)
      on conflict on constraint limit_counter_pkey do update set requests = c.requests + excluded.requests
      returning c.requests into requests;
    if new_credits[place] <> 0 then
      insert into limit_counter as c (subject, period, starts_at, requests, tokens)
        values (subjects[place], 'day', step, 0, new_credits[place])
        on conflict on constraint limit_counter_pkey do update set tokens = c.tokens + excluded.tokens;
    end if;
    select coalesce(sum(c.tokens), 0) into credits from limit_counter c
      where c.subject = subjects[place] and c.period = 'day' and c.starts_at > since;
    return next;
  end loop;
end $$;

-- Transactions that were sent through us: who sent which, and what became of it. Never what was in them.
create table rpc_transaction (
  id bigint generated always as identity primary key,
  request_id uuid not null,
  account_id uuid not null,
  -- Null for callers without a key.
  api_key_id uuid,
  network text not null,
  method text not null,
  -- The hash or signature; null where it cannot be known before the node has answered, and the node did not.
  hash text,
  -- 'sent' until the node has answered.
  outcome text not null,
  at timestamptz not null
);

create index rpc_transaction_by_time on rpc_transaction (at);
create index rpc_transaction_by_account on rpc_transaction (account_id, at);
create index rpc_transaction_by_hash on rpc_transaction (hash);
