import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { headOf, names } from '../../bench/support/benches.mjs';
import { comparisonTable, judge } from '../../bench/support/judgement.mjs';
import { median } from '../../bench/support/report.mjs';
import { resultsPage } from '../../bench/support/results-page.mjs';
import { figuresTable, markdownTable, textTable } from '../../bench/support/table.mjs';

const figures = (perSecond: number, cpuSeconds: number) => ({ perSecond, cpuSeconds });
const round = (throughput: number, processor: number) => ({
  old: figures(1_000, 0.001),
  new: figures(1_000 * throughput, 0.001 * processor),
});

describe('benches', () => {
  it.each(names)('%s states at its top what it leaves out', (name) => expect(headOf(name)).toMatch(/Left out: \w/));

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])('the median of %j is %d', (values, middle) => expect(median(values)).toBe(middle));

  const reports = [
    {
      title: 'pages: milliseconds, the first page as peer',
      rows: [
        { what: 'SQLite', ours: '1.20', peer: '1.00', ratio: '1.20', target: '< 1.5', met: true },
        { what: 'a | b', ours: '12.00', met: false },
      ],
    },
  ];

  it('print one table, in which a title is a line and numbers are right-aligned', () => {
    expect(textTable(figuresTable(reports))).toBe(
      [
        '  what      ours   peer   ratio   target   outcome',
        'pages: milliseconds, the first page as peer',
        '  SQLite    1.20   1.00    1.20   < 1.5    ok',
        '  a | b    12.00                           target missed',
        '',
      ].join('\n'),
    );
  });

  it('print the same table in Markdown', () => {
    expect(markdownTable(figuresTable(reports))).toBe(
      [
        '| what | ours | peer | ratio | target | outcome |',
        '| --- | --: | --: | --: | --- | --- |',
        '| **pages: milliseconds, the first page as peer** |  |  |  |  |  |',
        '| SQLite | 1.20 | 1.00 | 1.20 | < 1.5 | ok |',
        '| a \\| b | 12.00 |  |  |  | target missed |',
        '',
      ].join('\n'),
    );
  });
});

describe('the page of results', () => {
  const result = (date: string, title: string) => {
    const reports = [{ title, rows: [{ what: 'SQLite', ours: '1' }] }];
    return { date, commit: 'abc', machine: '2 cores', system: 'Node.js', load: 'idle', notes: ['Missed a target: x.'], reports };
  };

  it('has the newest run first, each with its date, commit and machine, and names the benches without a result', () => {
    const results = {
      old: result('2026-01-01', 'first'),
      one: result('2026-02-01', 'second'),
      two: result('2026-02-01', 'third'),
    };
    const page = resultsPage(results, ['old', 'one', 'two', 'new']);
    expect(page.match(/^## .*|\*\*\w+\*\*|^- .*|^Without.*/gm)!.join('; ')).toBe(
      '## 2026-02-01, commit abc; - 2 cores; - Node.js; - idle; - Missed a target: x.; - Missed a target: x.; **second**; **third**; ' +
        '## 2026-01-01, commit abc; - 2 cores; - Node.js; - idle; - Missed a target: x.; **first**; Without a result: `new`.',
    );
  });
});

describe('a comparison of two builds', () => {
  it('takes the median of the ratios within each round, so a slow round of the machine does not count', () => {
    const { throughput, processor } = judge([round(1, 1), round(0.2, 3), round(1.1, 0.9)], 0.85);
    expect(throughput).toMatchObject({ median: 1, least: 0.2, most: 1.1 });
    expect(processor).toMatchObject({ median: 1, least: 0.9, most: 3 });
  });

  it.each([
    ['equal', 1, 1, false],
    ['a little slower', 0.86, 1.17, false],
    ['faster', 2, 0.5, false],
    ['a fifth less throughput', 0.8, 1, true],
    ['a fifth more processor time', 1, 1.2, true],
  ])('finds %s with 15 %% allowed', (_, throughput, processor, isLost) => {
    expect(judge([round(throughput, processor)], 0.85).isLost).toBe(isLost);
  });

  it('finds nothing lost if the rounds disagree, and says that it is unclear', () => {
    const disagreeing = [0.3, 0.4, 0.5, 1.1, 1.2].map((throughput) => round(throughput, 1));
    const judgement = judge(disagreeing, 0.85);
    expect(judgement).toMatchObject({ seemsLost: true, isLost: false });
    expect(comparisonTable([{ what: 'version', ...judgement }]).lines[0]!.at(-1)).toBe('unclear');
  });

  it('shows an operation that a build does not support, and leaves processor time blank where it is not measured', () => {
    const unmeasured = judge([round(0.8, Number.NaN)], 0.85);
    const entries = [
      { what: 'SQLite, version', ...unmeasured },
      { what: 'SQLite, new', failure: 'old cannot do it', isLost: false },
    ];
    const { header, lines } = comparisonTable(entries);
    expect(lines.map((line: string[]) => line.length)).toEqual([header.length, header.length]);
    expect(lines[0]!.join(' ')).toMatch(/^SQLite, version 1000 800 0\.80 0\.80–0\.80 .*LOST$/);
    expect(lines.join()).not.toContain('NaN');
    expect(lines[1]!.at(-1)).toBe('old cannot do it');
  });
});

describe('npm run bench refuses', () => {
  it.each([
    ['an unknown bench', ['no-such'], `Unknown bench: no-such. Known: ${names.join(', ')}`],
    ['an unknown bench in a list', ['all', '--only', 'start,no-such'], 'Unknown bench: no-such. Known: '],
    ['an unknown operation', ['compare', 'HEAD', '--only', 'no-such'], 'Unknown operation: no-such. Known: version, file, files'],
    ['an unknown commit', ['compare', 'no-such'], 'Unknown commit: no-such. Name a commit, branch or tag of this repository'],
    ['an option in place of a commit', ['compare', '--', '--all'], 'Unknown commit: --all.'],
    ['no commit', ['compare'], 'npm run bench -- compare REF'],
    ['an unknown option', ['all', '--fast'], "Unknown option '--fast'"],
    ['no time', ['all', '--seconds', '0'], '--seconds is 0; it must be a whole number from 1 to 60.'],
    ['a share above 1', ['compare', 'HEAD', '--allow', '85'], '--allow is 85; it must be a number from 0.1 to 1.'],
  ])('%s', (_, args, message) => {
    const cwd = fileURLToPath(new URL('../../', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, ['scripts/bench.mjs', ...args], { cwd, encoding: 'utf8' });
    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });
});
