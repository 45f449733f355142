import { apiKeyPrefix, generateApiKey, isApiKey } from '../../src/common/auth/api-key.js';

describe('a service access key', () => {
  it('is recognised by its form and checksum only', () => {
    const key = generateApiKey();
    expect(key).toMatch(/^psk_[0-9A-Za-z]{8}_[0-9A-Za-z]{46}$/);
    expect(isApiKey(key)).toBe(true);
    expect(key.startsWith(`${apiKeyPrefix(key)}_`)).toBe(true);
  });

  it('is refused when any one character was changed, lost or added', () => {
    const key = generateApiKey();
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'x' ? 'y' : 'x';
      expect(isApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBe(false);
      expect(isApiKey(key.slice(0, i) + key.slice(i + 1))).toBe(false);
    }
    expect(isApiKey(`${key}0`)).toBe(false);
    expect(isApiKey('')).toBe(false);
  });

  it('is never generated twice', () => {
    expect(new Set(Array.from({ length: 1000 }, generateApiKey)).size).toBe(1000);
  });
});
