import { Injectable } from '@nestjs/common';
import { AppError, quoted } from '../base/app-error.js';
import { MAX_IDS } from '../base/text.js';
import type { AccessToken } from './access-tokens.js';

type Arguments = Record<string, unknown>;

/** Returns the names of those files of a tenant that exist. */
export type FileNames = (tenantId: string, ids: string[]) => Promise<Map<string, string | null>>;

/** Argument of a token that limits a service. A bound token can call no other service. */
const BOUND_IN = { 'websockets-manager': 'recipient', 'file-management': 'filePrefix' } as const;
/** Arguments with the name, or the beginning of the name, of files. */
const NAMES = new Set(['name', 'namePrefix', 'folder', 'prefix', 'to']);
/** Arguments with ids of files. */
const IDS = new Set(['ID', 'id', 'ids', 'fileId']);
/** Arguments with topics, which several recipients receive. */
const TOPICS = new Set(['topic', 'topics', 'add']);

type Bound = (typeof BOUND_IN)[keyof typeof BOUND_IN];
type Bounds = Pick<AccessToken, Bound>;

export const isBound = ({ recipient, filePrefix }: Bounds): boolean => recipient !== undefined || filePrefix !== undefined;

/** Returns the bound of a token in a service; undefined if the token cannot call it. */
export function boundIn(service: string, token: Bounds): Bound | undefined {
  const bound = BOUND_IN[service as keyof typeof BOUND_IN] as Bound | undefined;
  return bound && token[bound] !== undefined ? bound : undefined;
}

/** Returns whether a bound token can call an operation with some values of these arguments. */
export function canCall(token: Bounds, service: string, names: ReadonlySet<string>): boolean {
  const bound = boundIn(service, token);
  if (bound === 'recipient') return names.has('recipient');
  return bound === 'filePrefix' && [...NAMES, ...IDS].some((name) => names.has(name));
}

/**
 * Checks operations of bound tokens by the names of their arguments, at the top level or in `input` and `filter`. An operation without
 * an argument that names a recipient or a file is refused, so a new one is refused until it has one.
 */
@Injectable()
export class TokenBounds {
  private fileNames: FileNames = () => Promise.resolve(new Map());

  /** Sets the source of file names. The service of files calls it in its constructor. */
  readNames(fileNames: FileNames): void {
    this.fileNames = fileNames;
  }

  /** Returns a promise only if ids have to be looked up. @throws FORBIDDEN for an operation beyond the bounds of the token */
  check(token: AccessToken, service: string, operation: string, args: Arguments): Promise<void> | undefined {
    const bound = boundIn(service, token);
    if (!bound) throw refused(`The token is bound, and cannot call ${service}`);
    const given = givenArguments(args);
    if (bound === 'recipient') return checkRecipients(token, operation, given);
    return this.checkFiles(token, operation, given);
  }

  private checkFiles(token: AccessToken, operation: string, given: [string, unknown][]): Promise<void> | undefined {
    const prefix = token.filePrefix!;
    const must = `must be of files whose names begin with ${JSON.stringify(quoted(prefix))}`;
    const names = given.filter(([name]) => NAMES.has(name));
    const ids = given.filter(([name]) => IDS.has(name));
    if (names.length === 0 && ids.length === 0) throw refused(`The token is bound to files, and ${operation} names none`);
    const wrong = names.find(([, value]) => typeof value !== 'string' || !value.startsWith(prefix));
    if (wrong) throw refused(`${wrong[0]} ${must}: the token is bound to them`);
    return ids.length === 0 ? undefined : this.checkIds(token, ids, `${ids[0]![0]} ${must}: the token is bound to them`);
  }

  /** Compares names here: SQLite would ignore the letter case. An unknown id is refused like one of another file. */
  private async checkIds({ tenantId, filePrefix }: AccessToken, given: [string, unknown][], message: string): Promise<void> {
    const ids = [...new Set(given.flatMap(([, value]) => value).map(String))];
    if (ids.length === 0 || ids.length > MAX_IDS) throw refused(message);
    const names = await this.fileNames(tenantId, ids);
    if (!ids.every((id) => names.get(id)?.startsWith(filePrefix!))) throw refused(message);
  }
}

function checkRecipients({ recipient }: AccessToken, operation: string, given: [string, unknown][]): undefined {
  const values = given.filter(([name]) => name === 'recipient');
  if (values.length === 0) throw refused(`The token is bound to a recipient, and ${operation} names none`);
  if (values.some(([, value]) => value !== recipient)) throw refused('recipient must be the one that the token is bound to');
  const topic = given.find(([name]) => TOPICS.has(name));
  if (topic) throw refused(`${topic[0]} cannot be chosen by a token that is bound to a recipient; register topics with the key`);
}

/** Returns the arguments with a value, and those within `input` and `filter`. */
function givenArguments(args: Arguments): [string, unknown][] {
  const nested = [args['input'], args['filter']].filter((value) => typeof value === 'object' && value !== null);
  return [args, ...(nested as Arguments[])].flatMap((level) => Object.entries(level).filter(([, value]) => isGiven(value)));
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const refused = (message: string): AppError => new AppError('FORBIDDEN', message);
