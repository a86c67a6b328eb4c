/** docs/specification.md, common response headers: both balances before processing, as exact decimals. */
export const balanceHeaders = ({ usd, diem }: { usd: string; diem: string }) => ({
  'x-svc-balance-usd': usd,
  'x-svc-balance-diem': diem,
})
