/** The server that presented a certificate, as an operator knows it. */
interface Presenter {
  name: string;
  /** Setting with its address. */
  setting: string;
  /** How to trust its certificate. */
  remedy: string;
}

const unknownAuthority = ({ remedy }: Presenter) => `was issued by an authority that is not trusted; to trust it, ${remedy}`;
/** Why a certificate was refused, by the code of OpenSSL or Node. */
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
/** Other codes of refused certificates, without a text of their own. */
const UNTRUSTED = /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|INVALID_|PATH_LENGTH_|HOSTNAME_)/;

export const isCertificateFault = (code: string): boolean => code in REASONS || UNTRUSTED.test(code);

/** Says why a certificate was refused, by the code of the error; undefined if the error is another one. */
export function certificateFault(code: string | undefined, presenter: Presenter): string | undefined {
  if (!code || !isCertificateFault(code)) return undefined;
  const reason = REASONS[code]?.(presenter) ?? `is not trusted (${code})`;
  return `the certificate of ${presenter.name} ${reason}`;
}
