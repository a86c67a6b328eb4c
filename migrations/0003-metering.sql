-- Everything that a paid request touches: holds, spending per key, usage with its roll-ups, and answers kept for retries.

-- Enumerations instead of checks on text: a check is prepared anew by every statement, which costs more than the write.
create type currency as enum ('USD', 'BUNDLED_CREDITS', 'DIEM');
create type ledger_kind as enum ('credit', 'granted', 'earned');
create type usage_outcome as enum ('completed', 'aborted', 'failed', 'expired');

-- Diem lives for one UTC day, so each day has an account of its own: the reset at midnight is a new row, never a change.
-- Other credit does not end.
alter table ledger_account add column day date not null default 'infinity';
-- When a request of this owner was last settled. Kept on the USD account, which every change of an owner's credit locks
-- first: so the times of an owner's requests only go up, in the order in which they were committed, whichever process
-- committed them. Pages of the usage history rely on it.
alter table ledger_account add column settled_at timestamptz not null default '-infinity';
alter table ledger_account drop constraint ledger_account_currency_check, drop constraint ledger_account_kind_check;
alter table ledger_account drop constraint ledger_account_owner_currency_kind_key;
alter table ledger_account alter column currency type currency using currency::currency,
                           alter column kind type ledger_kind using kind::ledger_kind;
alter table ledger_account add unique nulls not distinct (owner, day, currency, kind);

-- What is held is the sum of the holds below. A counter beside them could only be wrong.
alter table ledger_account drop constraint no_overdraft;
alter table ledger_account drop column held;
-- The house keeps no balance: a row that every payment touches would make them all queue. It is the sum of its entries.
alter table ledger_account alter column balance drop not null;
update ledger_account set balance = null where owner is null;
alter table ledger_account add constraint no_overdraft check (case when owner is null then balance is null else balance >= 0 end);
-- Room for a new version of a row beside the old one: balances change all the time, and their indexes need not know.
alter table ledger_account set (fillfactor = 70);
insert into ledger_account (owner, currency, kind, balance) values
  (null, 'BUNDLED_CREDITS', 'granted', null), (null, 'DIEM', 'granted', null),
  (null, 'USD', 'earned', null), (null, 'BUNDLED_CREDITS', 'earned', null), (null, 'DIEM', 'earned', null);
insert into ledger_account (owner, currency, kind) select id, 'USD', 'credit' from account on conflict do nothing;

-- Transfers are what operators and top-ups do. A request is its own transfer: its entries carry the id of the request.
alter table ledger_transfer add column account_id uuid;
alter table ledger_transfer add column note text;
-- What the account got, so that a list of transfers need not look for entries.
alter table ledger_transfer add column currency currency;
alter table ledger_transfer add column amount bigint;
update ledger_transfer t set account_id = a.owner, currency = a.currency, amount = e.amount
  from ledger_entry e join ledger_account a on a.id = e.account_id and a.owner is not null where e.transfer_id = t.id;
alter table ledger_transfer alter column currency set not null, alter column amount set not null;
create index ledger_transfer_by_account on ledger_transfer (account_id, created_at);

-- Foreign keys on these tables would lock the house's rows for every payment. The audit proves what they would.
alter table ledger_entry drop constraint ledger_entry_transfer_id_fkey;
alter table ledger_entry drop constraint ledger_entry_account_id_fkey;
-- Nobody looks for one entry: they are the proof of the balances, and are read as a whole.
alter table ledger_entry drop constraint ledger_entry_pkey;
drop index ledger_entry_by_account;

-- The daily grant of diem equals the stake. `day` and `granted` say what was granted last.
create table diem_stake (
  account_id uuid primary key references account,
  amount bigint not null check (amount >= 0),
  day date not null default '-infinity',
  granted bigint not null default 0,
  changed_at timestamptz not null
);

-- Credit set aside for a request that runs. The row goes away when the request is settled.
create table ledger_hold (
  request_id uuid primary key,
  account_id uuid not null,
  api_key_id uuid,
  model text not null,
  usd bigint not null,
  bundled bigint not null,
  diem bigint not null,
  -- The ledger accounts that these come from; each UTC day has its own for diem.
  usd_account bigint not null,
  bundled_account bigint,
  diem_account bigint,
  made_at timestamptz not null,
  expires_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, fillfactor = 80);

create index ledger_hold_by_account on ledger_hold (account_id);
-- None by expiry: there are only as many holds as requests that run, and the sweep can look at them all.

-- One row per request that reached the gate, written in the transaction that moves the money.
create table usage_record (
  request_id uuid primary key,
  account_id uuid not null,
  api_key_id uuid,
  began_at timestamptz not null,
  settled_at timestamptz not null,
  model text not null,
  outcome usage_outcome not null,
  -- Who counted the units: 'upstream', 'running stats', 'tokenizer', or null when nothing was counted.
  counted_by text,
  -- What was counted and what it cost, as the bill shows it: a JSON array, only parsed when somebody looks.
  lines text not null,
  prompt_tokens bigint,
  completion_tokens bigint,
  held_usd bigint not null,
  held_bundled bigint not null,
  held_diem bigint not null,
  usd bigint not null,
  bundled bigint not null,
  diem bigint not null,
  constraint within_the_hold check (
    usd between 0 and held_usd and bundled between 0 and held_bundled and diem between 0 and held_diem)
);

create index usage_record_by_account on usage_record (account_id, settled_at, request_id);

-- Roll-ups, kept in the same transaction, so that analytics never read the rows above. USD includes bundled credits.
create table usage_by_model (
  account_id uuid not null,
  day date not null,
  model text not null,
  -- 'Input', 'Output', 'Cache Read', ...
  part text not null,
  model_type text,
  unit_type text not null,
  units bigint not null,
  usd bigint not null,
  diem bigint not null,
  primary key (account_id, day, model, part)
) with (fillfactor = 70);

-- Each day's row also carries what the key spent in its month and in its life up to then, so the newest row of a key says
-- what counts against its limit. A window that has passed simply no longer counts: nothing has to be reset.
create table usage_by_key (
  account_id uuid not null,
  -- For callers without a key, the account itself.
  api_key_id uuid not null,
  day date not null,
  units bigint not null,
  usd bigint not null,
  diem bigint not null,
  month_usd bigint not null,
  month_diem bigint not null,
  life_usd bigint not null,
  life_diem bigint not null,
  primary key (account_id, api_key_id, day)
) with (fillfactor = 70);

-- The first answer to a request that carried an Idempotency-Key, for 24 hours. The key is stored as its hash, and the
-- answer is encrypted with the key itself, so that only the caller can make it readable again.
create table idempotent_answer (
  account_id uuid not null,
  key_hash bytea not null,
  -- Of method, path and body: the same key with another request is a mistake of the caller.
  fingerprint bytea not null,
  request_id uuid not null,
  made_at timestamptz not null,
  -- Null while the first request runs.
  answer bytea,
  primary key (account_id, key_hash)
);

create index idempotent_answer_by_age on idempotent_answer (made_at);
create index idempotent_answer_by_request on idempotent_answer (request_id);
