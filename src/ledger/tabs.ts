import type { Charge } from './charge.js'
import type { Metered } from './metered.js'
import { type Paid, Tab, type TabOrder, type Used } from './tab.js'

/**
 * Requests that cost less than a commit, such as calls of blockchain nodes. Those of one caller that run at the same time
 * share a hold and its settlements: a tab. Each begins only when its worst case is set aside, and its answer leaves only
 * when it is paid for, as everywhere; they merely travel together. Who asks one after the other pays each by itself.
 */
export type Tabs = {
  run<Result>(order: TabOrder, work: (charge: Charge) => Promise<Used<Result>>): Promise<Paid<Result>>
}

export const createTabs = ({ metered }: { metered: Pick<Metered, 'run'> }): Tabs => {
  const tabs = new Map<string, Tab>()

  const open = (name: string, order: TabOrder): Tab => {
    const tab: Tab = new Tab(metered, order, () => {
      if (tabs.get(name) === tab) tabs.delete(name)
    })
    return tab
  }

  return {
    async run(order, work) {
      const name = nameOf(order)
      const known = tabs.get(name)
      const isJoining = known?.takesMore() === true
      if (isJoining) {
        if (await known.admit(order.units)) return known.run(order, work)
        await known.givenBack()
      }
      const tab = open(name, order)
      // Who finds no room on the tab of others, for want of credit, stands alone and hears why.
      if (!isJoining) tabs.set(name, tab)
      await tab.opened
      return tab.run(order, work)
    },
  }
}

/** Whoever pays the same prices for the same goods, out of the same accounts. */
const nameOf = ({ caller, goods, line }: TabOrder) => {
  const { accountId, keyId } = caller
  const diemAccountId = caller.kind === 'wallet' ? caller.diemAccountId : ''
  return `${accountId} ${keyId} ${diemAccountId} ${goods.model} ${line.sku} ${priceOf(line)}`
}

/** Of prices that stay the same for a long time, so that they are not written out for every request. */
const priceNames = new WeakMap<TabOrder['line'], string>()

const priceOf = (line: TabOrder['line']) => {
  let name = priceNames.get(line)
  if (name === undefined) {
    name = `${line.usdPerMillion} ${line.diemPerMillion}`
    priceNames.set(line, name)
  }
  return name
}
