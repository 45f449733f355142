import { parseAddress } from '../../src/common/base/email-address.js';

describe('an email address', () => {
  it.each([
    ['ann@example.com', 'ann@example.com'],
    ['Ann.B+tag@EXAMPLE.com', 'Ann.B+tag@example.com'],
    ["o'neill{x}@a-b.example", "o'neill{x}@a-b.example"],
    ['a@localhost', 'a@localhost'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@BÜCHER.example', 'ann@xn--bcher-kva.example'],
    ['ann@例え.テスト', 'ann@xn--r8jz45g.xn--zckzah'],
    [`${'x'.repeat(64)}@example.com`, `${'x'.repeat(64)}@example.com`],
  ])('%s is %s', (text, address) => {
    expect(parseAddress(text)).toEqual({ address });
  });

  it.each([
    '', 'ann', '@example.com', 'ann@', 'ann@@example.com', 'a b@example.com', 'ann@exa mple.com', 'ann@example.com ',
    'ann@example.com\n', 'ann@example.com\r\nBcc: x@y.z', 'ann\0@example.com', 'a,b@example.com', '<ann@example.com>',
    'Ann <ann@example.com>', 'ann@example.com,bob@example.com', '"a b"@example.com', 'ann(x)@example.com', 'a;b@example.com',
    '.ann@example.com', 'ann.@example.com', 'a..b@example.com', 'ann@.example.com', 'ann@example..com', 'ann@example.com.',
    'ann@-a.example', 'ann@a-.example', 'ann@a_b.example', 'ann@[127.0.0.1]', 'ann@127.0.0.1', 'ann@0x7f.1', 'ann@ex%41mple.com',
    'ünn@example.com', 'ann@example.com/x', 'ann@a:25', 'ann@xn--', `${'x'.repeat(65)}@example.com`,
    `a@${'x'.repeat(64)}.example`, `a@${'abcdefgh.'.repeat(30)}com`, 'ann@exam\u200bple.com', 'ann@\ud800.com', 'a@\u3002',
  ])('%j is refused with the reason', (text) => {
    expect(parseAddress(text)).toEqual({ fault: expect.stringMatching(/^must /) });
  });
}); // prettier-ignore
