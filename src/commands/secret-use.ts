import type { BoundKeysService } from '../common/auth/bound-keys.service.js';
import type { StoredSecrets } from '../common/signing/stored-secrets.js';
import type { LogRotationService } from '../modules/document-log/seals/log-rotation.service.js';

/** Numbers of keys, logs, records and sealed rows that depend on a secret. */
export interface SecretUse {
  /** Undefined stands for all secrets unknown to this node. */
  id: string | undefined;
  keys: number;
  logs: number;
  unsealed: number;
  secrets: number;
}

/** Services that know which secret their rows need. */
interface Users {
  keys: BoundKeysService;
  rotation: LogRotationService;
  secrets: StoredSecrets;
}

/** Counts the dependents of each secret of `ids`, in this order, and finally those of all other secrets. */
export async function secretUse(ids: string[], { keys, rotation, secrets }: Users, limit?: number): Promise<SecretUse[]> {
  const ofKeys = await keys.bindings(limit);
  const [ofLogs, ofRows] = [await rotation.logs(limit), await rotation.unsealed()];
  const ofSecrets = await secrets.needed(limit);
  const missing = [...ofSecrets].reduce((sum, [id, count]) => (ids.includes(id) ? sum : sum + count), 0);
  return [...ids, undefined].map((id) => {
    const counts = { keys: ofKeys.get(id) ?? 0, logs: ofLogs.get(id) ?? 0, unsealed: ofRows.get(id) ?? 0 };
    return { id, ...counts, secrets: id === undefined ? missing : (ofSecrets.get(id) ?? 0) };
  });
}
