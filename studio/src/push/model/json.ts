/** Returns whether a text looks like JSON, and its fault. */
export function judgeJson(text: string): { isJson: boolean; hint: string | undefined } {
  const looksSo = /^\s*[[{]/.test(text);
  try {
    const value: unknown = JSON.parse(text);
    return { isJson: typeof value === 'object' && value !== null, hint: looksSo ? 'Valid JSON' : undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    return { isJson: false, hint: looksSo ? `Invalid JSON: ${reason}` : undefined };
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON without changing it: long numbers retain all digits, and repeated names stay. */
export function indentJson(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const end = () => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  tokens.forEach((token, at) => {
    if (token === '{' || token === '[') {
      line += token;
      if (tokens[at + 1] !== (token === '{' ? '}' : ']')) {
        depth += 1;
        end();
      }
    } else if (token === '}' || token === ']') {
      if (tokens[at - 1] !== (token === '}' ? '{' : '[')) {
        depth -= 1;
        end();
      }
      line += token;
    } else if (token === ',') {
      line += token;
      end();
    } else line += token === ':' ? ': ' : token;
  });
  return [...lines, line].join('\n');
}
