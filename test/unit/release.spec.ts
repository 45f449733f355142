import { notesOf } from '../../scripts/release.mjs';

const changelog = '# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- New.\n- Faster.\n\n## 1.1.0 (2026-11-01)\n\n- Old.\n';

describe('a release', () => {
  it('has the newest section of the changelog as its notes', () => {
    expect(notesOf('v1.2.0', { version: '1.2.0', changelog })).toBe('- New.\n- Faster.\n');
  });

  it.each([
    ['the tag of another version', 'v1.1.0', '1.2.0', changelog, 'the tag is v1.1.0, and the version of package.json 1.2.0'],
    ['changes that are in no release', 'v1.2.0', '1.2.0', `## Unreleased\n\n- More.\n\n${changelog}`, 'begins with "Unreleased"'],
    ['a section without its date', 'v1.2.0', '1.2.0', '## 1.2.0\n\n- New.\n', 'must begin with "1.2.0 (YYYY-MM-DD)"'],
    ['a changelog without sections', 'v1.2.0', '1.2.0', '# Changelog\n', 'begins with "no section"'],
  ])('is refused for %s', (_, tag, version, text, message) => {
    expect(() => notesOf(tag, { version, changelog: text })).toThrow(message);
  });
});
