import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Texts that Studio said in other words before. `*` stands for a value. */
const RETIRED = [
  'Kept for: ever',
  'of the server',
  'Its own',
  'Address that works for',
  'anybody with the address',
  'I have kept it',
  'and never again',
  'Take back',
  'Push again',
  'Push to it',
  'What became of it',
  'Stop sending',
  'It waits for its next attempt',
  'Use as new',
  'As its reader sees it',
  'Default sender of the server',
  'only if every value is there',
  'Nothing is wrong, and nothing is missing',
  'As it was before the error',
  'Control and Space complete',
  'Mend it first',
  'Discard mine',
  'Replace theirs',
  'Saved and unsaved',
  'Your draft from before is here',
  'Nothing is left to send',
  'Clear finished',
  'Begins again when resumed',
  'of another type than they are said to be',
  'Choose none',
  'with capitals and small letters',
  'Upper and lower case differ',
  'letter case counts',
  'to the letter',
  'Clear the filters',
  'Remove all filters',
  'Show all mails',
  'All of this document',
  'All of this person',
  'Another document',
  'In order of writing',
  'Fits',
  'Differs',
  'The log is as it was stored',
  'fit their seals',
  'Check a kept checkpoint',
  'Keep a checkpoint',
  'It is one long word',
  'Requests of this page',
  'Forget the key',
  'Theme of the system',
  'This is a key of the operator',
  'This key may not use',
  'The key has no entry',
  'See and do everything',
  'in no address',
  'apart by spaces',
  'Never ends',
  'All services work',
  'No record yet',
  'The connection broke',
  'Write a mail',
  'Write a record',
  'Global message',
  'Way of the message',
  'By any connection',
  'Confirmed by',
  'Not confirmed',
  'Expired unconfirmed',
  'What happened',
  'Could not',
  'Somebody',
  'Whoever',
  'There is no such',
  'Nothing brings',
  'Copy the',
];

/** Words that no text of Studio has: an ID is no Id, and an email is no mail. */
const WORDS = [/(?<![\w-])Ids?(?![\w-])/, /(?<![\w-])[Mm]ails?(?![\w-]| servers?\b)/, / …(?! \})/, /\d %(?!\})/];

describe('texts of Studio', () => {
  const texts = textsOf('studio/src');

  it('are read from all of its sources', () => {
    expect(texts.length).toBeGreaterThan(2_000);
  });

  it.each(RETIRED)('do not say “%s”', (retired) => {
    expect(texts.filter(({ text }) => text.includes(retired))).toEqual([]);
  });

  it.each(WORDS)('have nothing like %s', (word) => {
    expect(texts.filter(({ text }) => text.includes(' ') && word.test(text))).toEqual([]);
  });
});

interface Said {
  file: string;
  text: string;
}

/** Every text of a folder of sources: of JSX, of strings and of templates. Lines are joined. */
function textsOf(folder: string): Said[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  return files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.Latest, true);
    const found: Said[] = [];
    const visit = (node: ts.Node): void => {
      if (
        ts.isJsxText(node) ||
        ts.isStringLiteralLike(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddleOrTemplateTail(node)
      ) {
        const text = node.text.replaceAll(/\s+/g, ' ').trim();
        if (text && !ts.isImportDeclaration(node.parent)) found.push({ file, text });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}
