import type { PrismaService } from '../../common/database/prisma.service.js';
import { fileIdOfKey } from './file-row.js';

/** The part of the database that works inside of a transaction too. */
export type Transaction = Pick<PrismaService, '$queryRawUnsafe' | 'blobPin' | 'file'>;

/**
 * Keeps the rows as they are until the transaction ends, so that who takes content away from them waits, and then sees the
 * pins. SQLite has one writer at a time anyway.
 */
export async function keepRows(transaction: Transaction, isPostgres: boolean, ids: string[]): Promise<void> {
  if (!isPostgres || ids.length === 0) return;
  await transaction.$queryRawUnsafe('SELECT 1 FROM "File" WHERE "id" = ANY($1) ORDER BY "id" FOR SHARE', ids);
}

/** Waits for all who keep these rows. */
export async function waitForKeepers(prisma: PrismaService, isPostgres: boolean, ids: string[]): Promise<void> {
  if (!isPostgres || ids.length === 0) return;
  await prisma.$queryRawUnsafe('SELECT 1 FROM "File" WHERE "id" = ANY($1) ORDER BY "id" FOR UPDATE', ids);
}

/** Those of the keys that somebody holds on to. */
export async function pinnedOf(prisma: PrismaService, keys: string[]): Promise<Set<string>> {
  const pins = await prisma.blobPin.findMany({ where: { blobKey: { in: keys } }, select: { blobKey: true } });
  return new Set(pins.map(({ blobKey }) => blobKey));
}

/** Those of the keys that neither a file nor a pin names. No key comes back into use after that. */
export async function abandonedOf(prisma: PrismaService, keys: string[]): Promise<string[]> {
  // Files first: a pin is only made while a file names the key, so what has no file by now gets no more pins.
  const files = await prisma.file.findMany({ where: { id: { in: keys.map(fileIdOfKey) } }, select: { blobKey: true } });
  const named = new Set(files.map(({ blobKey }) => blobKey));
  const unnamed = keys.filter((key) => !named.has(key));
  const pinned = await pinnedOf(prisma, unnamed);
  return unnamed.filter((key) => !pinned.has(key));
}
