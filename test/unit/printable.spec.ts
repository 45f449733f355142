import { columns, printable } from '../../src/common/base/printable.js';

describe('output of commands', () => {
  it('has no control characters, and none that reverse or break the line', () => {
    expect(printable('a\u001b[31mb\u009bc\u007f\n\r\u202e\u2028\ud800é😀')).toBe(
      String.raw`a\u001b[31mb\u009bc\u007f\u000a\u000d\u202e\u2028\ud800é😀`,
    );
  });

  it('has no tab in a column', () => {
    expect(columns('a\tb', 1)).toBe(String.raw`a\u0009b` + '\t1');
  });
});
