import { connectionsByOpenFiles, transfersByOpenFiles } from '../../src/common/http/open-files.js';

const limits = (open: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             96364                96364                processes
Max open files            ${open}             1048576              files
`;

it.each([
  ['20000', 17_500, 2_000],
  ['3000', 1_667, 833],
  ['1024', 350, 174],
  ['600', 200, 100],
  ['unlimited', Infinity, 2_000],
])(
  'a process that may open %s files accepts %s connections, and %s transfers with a file each',
  (open, connections, transfers) => {
    expect([connectionsByOpenFiles(limits(open)), transfersByOpenFiles(limits(open))]).toEqual([connections, transfers]);
  },
);

it('a system that does not report its limits sets no maximum of connections', () =>
  expect([connectionsByOpenFiles(''), transfersByOpenFiles('')]).toEqual([Infinity, 2_000]));
