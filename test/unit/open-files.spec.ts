import { connectionsByOpenFiles } from '../../src/common/http/open-files.js';

const limits = (open: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             96364                96364                processes
Max open files            ${open}             1048576              files
`;

it.each([
  ['20000', 19_500],
  ['1024', 524],
  ['600', 300],
  ['unlimited', Infinity],
])('a process that may open %s files takes %s connections', (open, connections) => {
  expect(connectionsByOpenFiles(limits(open))).toBe(connections);
});

it('a system that does not tell its limits sets no bound', () => expect(connectionsByOpenFiles('')).toBe(Infinity));
