import { CliModule, database, loadQuickly, withService } from './cli.module.js';
import { BoundKeysService } from '../common/auth/bound-keys.service.js';
import { Config } from '../common/config/config.js';
import { StoredSecrets } from '../common/signing/stored-secrets.js';
import { KeyBinding } from '../common/signing/key-binding.js';
import { generateSecretKey } from '../common/signing/secret-key.js';
import { Signing } from '../common/signing/signer.js';
import type { SecretUse } from './secret-use.js';

export interface RotateOptions {
  generate?: boolean;
  status?: boolean;
}

/** Lines to print, and whether anything still needs a secret other than SECRET_KEY. */
interface Rotated {
  lines: string[];
  isOtherNeeded: boolean;
}

/**
 * Binds all keys, hands over all logs and seals all stored secrets to SECRET_KEY. With `status` it only reports, with `generate`
 * it only generates a new secret.
 */
export async function rotate({ generate, status }: RotateOptions): Promise<Rotated> {
  loadQuickly();
  const config = Config.fromProcess();
  const modules = await database(config);
  if (generate) {
    await generateSecretKey(config);
    const next = 'restart the server, then run: platform-services rotate';
    return { lines: [`DATA_DIR has a new secret, and the old one is retained; ${next}`], isOtherNeeded: false };
  }
  const [{ LogRotationModule }, { LogRotationService }, { secretUse }] = await Promise.all([
    import('../modules/document-log/seals/log-rotation.module.js'),
    import('../modules/document-log/seals/log-rotation.service.js'),
    import('./secret-use.js'),
  ]);
  const imports = [...modules, LogRotationModule];
  const module = { module: CliModule, imports, providers: [KeyBinding, BoundKeysService, StoredSecrets] };
  const rotated: Rotated = { lines: [], isOtherNeeded: false };
  await withService(module, LogRotationService, async (rotation, context) => {
    const [keys, secrets] = [context.get(BoundKeysService), context.get(StoredSecrets)];
    const { ids, currentId } = context.get(Signing, { strict: false });
    if (!status) {
      rotated.lines.push(
        `${await keys.rebind()} keys were bound, ${await rotation.rotate()} logs handed over, and ` +
          `${await secrets.renewAll()} stored secrets sealed, to ${currentId}`,
      );
    }
    for (const use of await secretUse(ids, { keys, rotation, secrets })) {
      const isOther = use.id !== currentId;
      if (use.id !== undefined || isNeeded(use)) rotated.lines.push(lineOf(use, isOther));
      if (isOther && isNeeded(use)) rotated.isOtherNeeded = true;
    }
  });
  return rotated;
}

const isNeeded = ({ keys, logs, unsealed, secrets }: SecretUse): boolean => keys + logs + unsealed + secrets > 0;

function lineOf({ id, keys, logs, unsealed, secrets }: SecretUse, isOther: boolean): string {
  const role = id === undefined ? 'missing' : isOther ? 'accepted' : 'current';
  return [id ?? '-', role, keys, logs, unsealed, secrets].join('\t');
}
