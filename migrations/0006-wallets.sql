-- Wallets that pay with USDC and sign in instead of sending a key, and the payments that they made.

-- A wallet has an account of its own: what it paid in is for whoever can sign for it, and for nobody's key.
create table wallet (
  -- Of an EVM chain in lower case, of Solana as it is.
  address text primary key,
  account_id uuid not null unique references account,
  -- The account whose diem the wallet spends first, if the operator linked one.
  diem_account_id uuid references account,
  created_at timestamptz not null
);

-- A stake that was read from a chain ends when no wallet of the account is left; one that was set by hand does not.
alter table diem_stake add column is_from_chain boolean not null default false;

-- What a wallet signs to sign in carries a nonce, and is good once, whichever process it is sent to.
create table sign_in_nonce (
  address text not null,
  nonce text not null,
  -- When what was signed has expired by itself, so that nobody need remember it.
  expires_at timestamptz not null,
  primary key (address, nonce)
);

create index sign_in_nonce_by_expiry on sign_in_nonce (expires_at);

-- received: read, not yet checked. verified: good, nothing sent yet. broadcast: a transaction may be on its way, and its
-- hash was written down before. settled: the chain has it. credited: so has the payer's account, for good. refused: no
-- money has moved.
create type payment_state as enum ('received', 'verified', 'broadcast', 'settled', 'credited', 'refused');

create table x402_payment (
  id uuid primary key,
  -- Of all that was signed and sent: whoever sends the same bytes again asks about the same payment.
  fingerprint bytea not null unique,
  -- Names the transfer that was signed. Money moves for it at most once, whatever else is sent around it.
  payment_key text not null,
  network text not null,
  asset text not null,
  payer text not null,
  pay_to text not null,
  -- In base units of the token: a millionth of a USDC.
  amount bigint not null check (amount > 0),
  state payment_state not null,
  -- What was signed, until nobody needs it any more.
  payload jsonb,
  -- After this the chain refuses it; null where time is not counted in seconds.
  valid_until timestamptz,
  -- Of what was signed last, or of what moved the money; null only while nothing was ever sent.
  tx_hash text,
  -- Why it was refused, in a word and in a sentence; of a settled one, why it was not credited and an operator must look.
  reason text,
  says text,
  -- What the payer was told when it was credited, so that everybody who asks again is told the same.
  balance_after bigint,
  -- Whoever works on it writes their own name here, and can change the payment only while it stands. Null while nobody
  -- does; then it is looked at again when `leased_until` has come.
  leased_by uuid,
  leased_until timestamptz not null,
  created_at timestamptz not null,
  changed_at timestamptz not null
);

create unique index x402_payment_once on x402_payment (payment_key)
  where state in ('verified', 'broadcast', 'settled', 'credited');
-- A transaction of an EVM chain may make many transfers, and the token tells which of them are for whom.
create unique index x402_payment_by_transaction on x402_payment (network, tx_hash) where network not like 'eip155:%';
create index x402_payment_unfinished on x402_payment (state, leased_until)
  where state in ('received', 'verified', 'broadcast', 'settled');
-- Those that may be forgotten: nothing was ever sent for them.
create index x402_payment_idle on x402_payment (changed_at) where state in ('received', 'refused') and tx_hash is null;
-- What was sent and has not come to anything, or not yet.
create index x402_payment_wasted on x402_payment (network, changed_at)
  where state in ('broadcast', 'refused') and tx_hash is not null;
create index x402_payment_by_payer on x402_payment (payer, created_at);
-- Without the garbage that anybody can send in the name of a payer.
create index x402_payment_sent on x402_payment (payer) where tx_hash is not null or state = 'verified';

-- Every transaction that was signed for a payment, written down before it is sent: whatever happens to the process, the
-- next one knows what to look for, and can send it again.
create table x402_broadcast (
  network text not null,
  tx_hash text not null,
  payment_id uuid not null references x402_payment,
  -- The fee wallet's nonce that it takes; null where there are none.
  fee_nonce bigint,
  raw text not null,
  signed_at timestamptz not null,
  primary key (network, tx_hash)
);

create index x402_broadcast_by_payment on x402_broadcast (payment_id);
-- What takes a nonce that later ones wait for.
create index x402_broadcast_by_nonce on x402_broadcast (network, fee_nonce);

-- All processes take the nonces of a fee wallet from here, one after the other.
create table fee_wallet (
  network text not null,
  address text not null,
  next_nonce bigint not null default 0,
  primary key (network, address)
);
