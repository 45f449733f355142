import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Rule for a file of certificates. Returns its content. */
export const certificateFile = (name: string) =>
  z.string().transform((path, context): string => {
    try {
      const certificates = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
      if (certificates.length === 0) throw new Error('it contains none');
      return certificates.map((certificate) => String(new X509Certificate(certificate))).join('');
    } catch (error) {
      const { message } = error as Error;
      context.addIssue({ code: 'custom', message: `${name} must be a file with certificates in PEM; ${path}: ${message}` });
      return z.NEVER;
    }
  });
