// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

interface IERC1271 {
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// What FiatTokenV2_2 (USDC) does with transfers and signed authorizations, in the same words, and nothing else of it.
/// Nothing is set by a constructor: a test puts the code at the address of the real token. Balances lie in slot 0.
contract TestUsdc {
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  mapping(address => mapping(bytes32 => bool)) private used;

  bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
    keccak256(
      "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
  bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
    keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
  event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

  function name() external pure returns (string memory) {
    return "USD Coin";
  }

  function symbol() external pure returns (string memory) {
    return "USDC";
  }

  function version() external pure returns (string memory) {
    return "2";
  }

  function decimals() external pure returns (uint8) {
    return 6;
  }

  function DOMAIN_SEPARATOR() public view returns (bytes32) {
    return
      keccak256(
        abi.encode(
          keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
          keccak256("USD Coin"),
          keccak256("2"),
          block.chainid,
          address(this)
        )
      );
  }

  function transfer(address to, uint256 value) external returns (bool) {
    move(msg.sender, to, value);
    return true;
  }

  function approve(address spender, uint256 value) external returns (bool) {
    allowance[msg.sender][spender] = value;
    emit Approval(msg.sender, spender, value);
    return true;
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    require(value <= allowance[from][msg.sender], "ERC20: transfer amount exceeds allowance");
    allowance[from][msg.sender] -= value;
    move(from, to, value);
    return true;
  }

  function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
    return used[authorizer][nonce];
  }

  function transferWithAuthorization(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    uint8 v,
    bytes32 r,
    bytes32 s
  ) external {
    transferAuthorized(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
  }

  function transferWithAuthorization(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    bytes memory signature
  ) external {
    transferAuthorized(from, to, value, validAfter, validBefore, nonce, signature);
  }

  function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
    cancel(authorizer, nonce, abi.encodePacked(r, s, v));
  }

  function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) external {
    cancel(authorizer, nonce, signature);
  }

  function transferAuthorized(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    bytes memory signature
  ) private {
    require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
    require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
    requireUnused(from, nonce);
    requireSigned(
      from,
      keccak256(abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)),
      signature
    );
    used[from][nonce] = true;
    emit AuthorizationUsed(from, nonce);
    move(from, to, value);
  }

  function cancel(address authorizer, bytes32 nonce, bytes memory signature) private {
    requireUnused(authorizer, nonce);
    requireSigned(authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)), signature);
    used[authorizer][nonce] = true;
    emit AuthorizationCanceled(authorizer, nonce);
  }

  function move(address from, address to, uint256 value) private {
    require(from != address(0), "ERC20: transfer from the zero address");
    require(to != address(0), "ERC20: transfer to the zero address");
    require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }

  function requireUnused(address authorizer, bytes32 nonce) private view {
    require(!used[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
  }

  function requireSigned(address signer, bytes32 structHash, bytes memory signature) private view {
    bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
    require(isSigned(signer, digest, signature), "FiatTokenV2: invalid signature");
  }

  function isSigned(address signer, bytes32 digest, bytes memory signature) private view returns (bool) {
    if (signer.code.length == 0) return recover(digest, signature) == signer;
    (bool isOk, bytes memory answer) = signer.staticcall(
      abi.encodeCall(IERC1271.isValidSignature, (digest, signature))
    );
    return isOk && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(IERC1271.isValidSignature.selector);
  }

  function recover(bytes32 digest, bytes memory signature) private pure returns (address) {
    require(signature.length == 65, "ECRecover: invalid signature length");
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly {
      r := mload(add(signature, 0x20))
      s := mload(add(signature, 0x40))
      v := byte(0, mload(add(signature, 0x60)))
    }
    require(
      uint256(s) <= 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0,
      "ECRecover: invalid signature 's' value"
    );
    require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
    address signer = ecrecover(digest, v, r, s);
    require(signer != address(0), "ECRecover: invalid signature");
    return signer;
  }
}
