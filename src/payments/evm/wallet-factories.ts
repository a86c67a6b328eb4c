/**
 * Factories that deploy a contract wallet which has signed before it exists (ERC-6492). We call them with what the payer
 * gave us and pay for it, so only those whose code is known are called. They have the same address on every chain.
 */
export const knownWalletFactories: readonly string[] = [
  // Coinbase Smart Wallet 1 and 1.1
  '0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a',
  '0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842',
  // Safe 1.4.1
  '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
  // ZeroDev Kernel 3.1, by itself and by the factory of all its versions
  '0xaac5D4240AF87249B3f71BC8E4A2cae074A3E419',
  '0xd703aaE79538628d27099B8c4f621bE4CCd142d5',
]
