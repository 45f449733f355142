import { Command } from 'commander';
import { Config } from '../common/config/config.js';
import { columns, say } from '../common/base/printable.js';
import { BackupError } from './backup-format.js';

/** Creates the `backup` command. It prints to standard error, since standard output may be the backup. */
export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'copies the database, file contents, secret and stored mails while the server runs; requires SQLite and a folder',
    )
    .argument('<folder>', 'an empty or new folder, or - for a tar on standard output')
    .action((folder: string) =>
      reported(async () => {
        const { backUp } = await import('./backup.js');
        const { files, bytes, lost, hasSecret } = await backUp(Config.fromProcess(), folder);
        say(`${files} files of ${bytes} bytes were copied`);
        if (!hasSecret)
          say('SECRET_KEY is set, so the backup does not include it: store it elsewhere, since no signature verifies without it');
        for (const key of lost) say(columns('lost', key));
        if (lost.length > 0) process.exitCode = 3;
      }),
    );
}

/** Creates the `restore` command. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('restores a backup to DATA_DIR while no server uses it, after a check of every byte')
    .argument('<folder>', 'the folder of a backup, or - for a tar on standard input')
    .option('--replace', 'replace what DATA_DIR has; without it, DATA_DIR must be empty')
    .action((folder: string, { replace = false }: { replace?: boolean }) =>
      reported(async () => {
        const { restore } = await import('./restore.js');
        const { files, about } = await restore(Config.fromProcess(), folder, replace);
        say(`${files} files of ${about.createdAt}, from release ${about.release}, were restored`);
      }),
    );
}

/** Runs a command and reports disk and permission errors in one line. */
async function reported(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const { message, code, syscall } = error as NodeJS.ErrnoException;
    if (!(error instanceof BackupError || (code !== undefined && syscall !== undefined))) throw error;
    say(message);
    process.exitCode = 1;
  }
}
