/** How packets are sealed between a client and the voice server; the names are Discord's. */
export const ENCRYPTION_MODES = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const

export type EncryptionMode = (typeof ENCRYPTION_MODES)[number]
