/** Options of an LRUCache for a number of entries. Its own `max` would reserve memory for all of them from the start. */
export const upToEntries = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 });
