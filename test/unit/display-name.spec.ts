import { addressesIn, displayNameFault } from '../../src/common/base/display-name.js';
import { mailboxOf } from '../../src/common/base/email-address.js';

describe('a display name', () => {
  it.each([
    'support@bank.com', 'Support <support@bank.com>', '"support@bank.com" (Bank)', 'SUPPORT@BANK.COM', 'x ann@shop.example, support@bank.com',
    'support＠bank.com', 'support﹫bank.com', 'support@bank．com', 'support@bank。com', 'ｓｕｐｐｏｒｔ@ｂａｎｋ.com', 'support\u200b@\u200bbank.com',
    'sup\u00adport@ba\u2060nk.com', 'support @ bank.com', 'support@\u00a0bank.com', 'support@bank', 'süpport@bänk.com', '\u202emoc.knab@troppus',
    'support@\u034fbank.com', '支持@银行.中国', 'support@\ufeffbank.com', 'support@bank\u2024com',
  ])('cannot be %s', (name) => {
    expect(displayNameFault(name, 'ann@shop.example')).toMatch(/^must not contain an address other than its own, ann@shop\.example/);
  }); // prettier-ignore

  it.each([
    'Ann', '', '@', 'Ann @ Home', 'Follow @shop', 'ann@shop.example', 'Ann <Ann@Shop.Example>', 'a@', 'R&D @ 5 p.m.', '100 % @ you', '@ @ @',
  ])('can be %s', (name) => {
    expect(displayNameFault(name, 'ann@shop.example')).toBeUndefined();
  }); // prettier-ignore

  it('can be its own address in another spelling of the domain', () => {
    expect(displayNameFault('ann@bücher.example', 'ann@xn--bcher-kva.example')).toBeUndefined();
  });

  it('is checked in a short time, however odd it is', () => {
    for (const odd of ['@', 'a@', '\ufdfa', '\ufdfa@', 'a ', '＠ ', 'a.']) addressesIn(odd.repeat(1_024 / odd.length));
  });
});

describe('a mailbox', () => {
  it.each([
    ['ann@example.com', 'ann@example.com'],
    ['Ann.B+news@example.com', 'ann.b@example.com'],
    ['ANN+a+b@example.com', 'ann@example.com'],
    ['+tag@example.com', '+tag@example.com'],
    ['a.n.n@example.com', 'a.n.n@example.com'],
  ])('of %s is %s', (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
});
