import type { ApiKeysService } from '../common/auth/api-keys.service.js';
import type { LogRotationService } from '../modules/document-log/rotation/log-rotation.service.js';

/** Numbers of keys, logs and records that depend on a secret. */
export interface SecretUse {
  /** Undefined for all secrets that this node does not have. */
  id: string | undefined;
  keys: number;
  logs: number;
  unsealed: number;
}

/** Counts what depends on each secret of `ids`, in this order, and at the end what depends on other secrets. */
export async function secretUse(
  ids: string[],
  keys: ApiKeysService,
  rotation: LogRotationService,
  limit?: number,
): Promise<SecretUse[]> {
  const ofKeys = await keys.bindings(limit);
  const [ofLogs, ofRows] = [await rotation.logs(limit), await rotation.unsealed()];
  return [...ids, undefined].map((id) => {
    return { id, keys: ofKeys.get(id) ?? 0, logs: ofLogs.get(id) ?? 0, unsealed: ofRows.get(id) ?? 0 };
  });
}
