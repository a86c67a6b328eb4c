create table account (
  id uuid primary key,
  name text not null,
  tier text not null default 'paid',
  -- Set for accounts that began with a wallet instead of a key made by the operator.
  wallet_address text unique,
  created_at timestamptz not null
);

create table api_key (
  id uuid primary key,
  account_id uuid not null references account,
  type text not null check (type in ('INFERENCE', 'ADMIN')),
  -- SHA-256 of the secret; the secret itself is shown once and kept nowhere.
  hash bytea not null unique,
  last6 text not null,
  description text not null,
  -- numeric, because the largest limit (9,999,999,999 USD) does not fit into a bigint of nano-USD.
  limit_usd numeric check (limit_usd between 0 and 9999999999),
  limit_diem numeric check (limit_diem between 0 and 9999999999),
  limit_period text not null default 'EPOCH' check (limit_period in ('EPOCH', 'MONTH', 'LIFETIME')),
  model_privacy text not null default 'ALL' check (model_privacy in ('ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY')),
  expires_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index api_key_by_account on api_key (account_id, created_at, id);

-- Secrets that all processes of one installation share, such as the one that signs wallet tokens.
create table service_secret (
  name text primary key,
  value bytea not null
);
