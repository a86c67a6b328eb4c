import type { Check } from './check.js'

/** What several requests were paid with. */
export const shareChecks: Check[] = [
  {
    check: 'requests that were paid together share the whole of their bill',
    broken: (ask) => ask`
      select format('bill %s is of %s units, its shares of %s', s.settled_with, coalesce(r.units, 0), s.units) what
      from (select settled_with, sum(units) units from usage_share group by settled_with) s
      left join (select request_id, (lines::json -> 0 ->> 'quantity')::numeric units from usage_record
                 where outcome = 'completed') r on r.request_id = s.settled_with
      where s.units is distinct from r.units`,
  },
]
