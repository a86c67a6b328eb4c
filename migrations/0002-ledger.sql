-- Double entry: every transfer has entries that sum to zero, entries are never changed, and the balance on a ledger
-- account is the sum of its entries. Amounts are nano-USD (or nano-diem).
create table ledger_account (
  id bigint generated always as identity primary key,
  -- Null for the house's own accounts, where money comes from and goes to.
  owner uuid references account,
  currency text not null check (currency in ('USD', 'BUNDLED_CREDITS', 'DIEM')),
  kind text not null check (kind in ('credit', 'granted')),
  balance bigint not null default 0,
  held bigint not null default 0,
  -- House accounts may go below zero; a caller's never does.
  constraint no_overdraft check (owner is null or balance - held >= 0),
  unique nulls not distinct (owner, currency, kind)
);

create table ledger_transfer (
  id uuid primary key,
  -- What this transfer is for, named so that doing it twice is impossible.
  idempotency_key text not null unique,
  kind text not null,
  created_at timestamptz not null
);

create table ledger_entry (
  transfer_id uuid not null references ledger_transfer,
  account_id bigint not null references ledger_account,
  amount bigint not null,
  primary key (transfer_id, account_id)
);

create index ledger_entry_by_account on ledger_entry (account_id);

-- The other side of every grant of USD credit.
insert into ledger_account (owner, currency, kind) values (null, 'USD', 'granted');
