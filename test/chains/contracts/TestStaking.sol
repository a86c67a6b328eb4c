// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Who has staked how much. Stakes lie in slot 0, where a test writes them.
contract TestStaking {
  mapping(address => uint256) public balanceOf;
}
