// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// A contract wallet: what its owner's key signed is signed by the wallet (EIP-1271).
contract TestWallet {
  address public owner;

  constructor(address owner_) {
    owner = owner_;
  }

  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    if (signature.length != 65) return 0xffffffff;
    address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
    return signer != address(0) && signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
  }
}

/// Makes such wallets at addresses that are known beforehand, so that they can be paid, and can sign (ERC-6492), before
/// they are there.
contract TestWalletFactory {
  function deploy(address owner, uint256 salt) external returns (address) {
    address wallet = walletOf(owner, salt);
    return wallet.code.length > 0 ? wallet : address(new TestWallet{salt: bytes32(salt)}(owner));
  }

  function walletOf(address owner, uint256 salt) public view returns (address) {
    bytes32 codeHash = keccak256(abi.encodePacked(type(TestWallet).creationCode, abi.encode(owner)));
    return
      address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(salt), codeHash)))));
  }
}
