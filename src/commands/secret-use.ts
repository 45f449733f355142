import type { ApiKeysService } from '../common/auth/api-keys.service.js';
import type { StoredSecrets } from '../common/signing/stored-secrets.js';
import type { LogRotationService } from '../modules/document-log/seals/log-rotation.service.js';

/** Numbers of keys, logs, records, and rows with sealed secrets, that depend on a secret. */
export interface SecretUse {
  /** Undefined for all secrets that this node does not have. */
  id: string | undefined;
  keys: number;
  logs: number;
  unsealed: number;
  secrets: number;
}

/** Services that know what needs a secret. */
interface Users {
  keys: ApiKeysService;
  rotation: LogRotationService;
  secrets: StoredSecrets;
}

/** Counts what depends on each secret of `ids`, in this order, and at the end what depends on other secrets. */
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
