import { DiskSpace } from '../../src/common/disk/disk-space.js';
import { describeOnSmallDisk, SmallDisk } from '../support/small-disk.js';

const MIB = 1024 * 1024;

describeOnSmallDisk('the room of a disk of 200 MB, 136 MiB of it for content', () => {
  let disk: SmallDisk;
  let space: DiskSpace;
  beforeEach(() => {
    disk = SmallDisk.mount(200);
    space = new DiskSpace(disk.folder);
  });
  afterEach(() => disk.unmount());

  it('is not reserved by announced lengths, but as much ahead as has arrived, up to 1 MiB', async () => {
    const dripping = (await space.claim(130 * MIB))!;
    expect(dripping.take(1)).toBe(true);
    expect(await space.claim(136 * MIB - 1)).toBeDefined();
    expect(await space.claim(136 * MIB)).toBeUndefined(); // its byte is not really written, and a second one is held
    dripping.take(3 * MIB - 1);
    expect(dripping.aheadBytes).toBe(MIB);
  });

  it('is refused at once to content larger than all of it', async () => {
    expect(await space.claim(136 * MIB + 1)).toBeUndefined();
    expect(await space.claim(136 * MIB)).toBeDefined();
  });

  it('ends for the content that began last, and the one before it can finish', async () => {
    let gaveWay = 0;
    const first = (await space.claim(100 * MIB, () => gaveWay++))!;
    const second = (await space.claim(100 * MIB, () => gaveWay++))!;
    const third = (await space.claim(30 * MIB, () => (gaveWay += 10)))!;
    // Below the step after which the disk is looked at again: nothing is really written here.
    for (let piece = 0; piece < 2; piece++) for (const claim of [first, second]) expect(claim.take(MIB / 2)).toBe(true);
    expect(third.take(1)).toBe(true);
    disk.fill();
    await space.claim(0);
    expect(second.take(1)).toBe(false);
    expect([second.gaveWay, third.gaveWay, gaveWay]).toEqual([true, true, 10]);
    expect(third.take(1)).toBe(false);
    second.end();
    third.end();
    disk.makeRoom();
    await space.claim(0);
    expect(first.take(MIB)).toBe(true);
    first.end();
    expect(await space.claim(136 * MIB)).toBeDefined();
  });
});
