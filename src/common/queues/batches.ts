import DataLoader from 'dataloader';

/** Loads values in batches of up to `maxSize`. A batch gathers while another is under way, so batches grow with the load. */
export function batches<Key, Value>(
  load: (keys: readonly Key[]) => Promise<Value[]>,
  maxSize: number,
): Pick<DataLoader<Key, Value>, 'load'> {
  let running: Promise<unknown> = Promise.resolve();
  const loadNext = (keys: readonly Key[]): Promise<Value[]> => {
    const loaded = load(keys);
    running = loaded.catch(() => undefined);
    return loaded;
  };
  return new DataLoader<Key, Value>(loadNext, {
    cache: false,
    maxBatchSize: maxSize,
    batchScheduleFn: (dispatch) => void running.then(() => setImmediate(dispatch)),
  });
}
