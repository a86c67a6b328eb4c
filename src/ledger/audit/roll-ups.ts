import type { Check } from './check.js'

/** Usage is written down three times: as rows, as the lines of their bills, and summed up. */
export const rollUpChecks: Check[] = [
  {
    check: 'the lines of every bill sum to what was paid',
    broken: (ask) => ask`
      select format('request %s paid %s nano-USD and %s nano-diem, its lines say %s and %s', r.request_id,
                    r.usd + r.bundled, r.diem, coalesce(sum(line.usd), 0), coalesce(sum(line.diem), 0)) what
      from usage_record r
      left join lateral json_to_recordset(r.lines::json) as line(usd bigint, diem bigint) on true
      group by r.request_id
      having coalesce(sum(line.usd), 0) <> r.usd + r.bundled or coalesce(sum(line.diem), 0) <> r.diem`,
  },
  {
    check: 'the sums of usage per model and per key equal its records',
    broken: (ask) => ask`
      with used as materialized (
        select r.account_id, coalesce(r.api_key_id, r.account_id) api_key_id, (r.settled_at at time zone 'UTC')::date as day,
               r.model, line.part, sum(line.quantity) units, sum(line.usd) usd, sum(line.diem) diem,
               sum(case when line.per = 'millionths' then line.quantity / 1000000 else line.quantity end) whole_units
        from usage_record r
        cross join lateral json_to_recordset(r.lines::json) as line(part text, per text, quantity bigint, usd bigint, diem bigint)
        group by 1, 2, 3, 4, 5)
      select format('%s of %s on %s: %s units, %s nano-USD, %s nano-diem; records say %s, %s, %s', of_what, account_id, day,
                    sum(units) filter (where is_kept), sum(usd) filter (where is_kept), sum(diem) filter (where is_kept),
                    sum(units) filter (where not is_kept), sum(usd) filter (where not is_kept),
                    sum(diem) filter (where not is_kept)) what
      from (
        select account_id, day, format('%s %s', model, part) of_what, units, usd, diem, false is_kept from used
        union all
        select account_id, day, format('%s %s', model, part), units, usd, diem, true from usage_by_model
        union all
        select account_id, day, format('key %s', api_key_id), whole_units, usd, diem, false from used
        union all
        select account_id, day, format('key %s', api_key_id), units, usd, diem, true from usage_by_key) both_sides
      group by account_id, day, of_what
      having sum(case when is_kept then units else -units end) <> 0
        or sum(case when is_kept then usd else -usd end) <> 0
        or sum(case when is_kept then diem else -diem end) <> 0`,
  },
  {
    check: 'what a key spent in its month and its life is the sum of its days',
    broken: (ask) => ask`
      select format('key %s of %s on %s', api_key_id, account_id, day) what
      from (
        select *, sum(usd) over in_month usd_of_month, sum(diem) over in_month diem_of_month,
               sum(usd) over in_life usd_of_life, sum(diem) over in_life diem_of_life
        from usage_by_key
        window in_month as (partition by account_id, api_key_id, date_trunc('month', day) order by day),
               in_life as (partition by account_id, api_key_id order by day)) k
      where (month_usd, month_diem, life_usd, life_diem)
        is distinct from (usd_of_month, diem_of_month, usd_of_life, diem_of_life)`,
  },
]
