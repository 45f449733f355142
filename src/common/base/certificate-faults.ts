/** Server that presented a certificate. */
interface Presenter {
  name: string;
  /** Setting with the URL of the server. */
  setting: string;
  /** Instruction for trusting its certificate. */
  remedy: string;
}

const unknownAuthority = ({ remedy }: Presenter) => `was issued by an authority that is not trusted; to trust it, ${remedy}`;
/** Reasons for refusing a certificate, by OpenSSL or Node code. */
const REASONS: Record<string, (presenter: Presenter) => string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ remedy }) => `is self-signed; to trust it, ${remedy}`,
  CERT_HAS_EXPIRED: () => 'has expired',
  CERT_NOT_YET_VALID: () => 'is not valid yet',
  CERT_REVOKED: () => 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: ({ setting }) => `is for another host name than the one in ${setting}`,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
};
/** Codes of refused certificates without a text of their own. */
const UNTRUSTED = /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|INVALID_|PATH_LENGTH_|HOSTNAME_)/;

export const isCertificateFault = (code: string): boolean => code in REASONS || UNTRUSTED.test(code);

/** Explains a certificate error by its code. Returns undefined for any other error. */
export function certificateFault(code: string | undefined, presenter: Presenter): string | undefined {
  if (!code || !isCertificateFault(code)) return undefined;
  const reason = REASONS[code]?.(presenter) ?? `is not trusted (${code})`;
  return `the certificate of ${presenter.name} ${reason}`;
}
