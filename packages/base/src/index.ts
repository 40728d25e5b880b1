/**
 * Shared parts of all packages of Tenon. Their names change without notice: use the entries of `tenon`.
 *
 * @module @tenon/base
 */

export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './encoding/base64.js';
export { encodeText, joinBytes } from './encoding/bytes.js';
export { computeFingerprint } from './encoding/fingerprint.js';
export { createSigner, type Signer } from './encoding/hmac.js';
export { createRandomText } from './encoding/random-text.js';
export { areSealKeys, createSeal, deriveSealKey, MAX_SEALED, type Seal, type SealKey } from './encoding/seal.js';
export { computeSha256, digestSha256, hashSha256 } from './encoding/sha256.js';
export {
  type ErrorDetails,
  isAuthError,
  isForPeer,
  isRefusedForNow,
  isSessionLoss,
  rpcError,
  TenonError,
  toReportedError,
  withDetails,
} from './errors/error.js';
export {
  INSUFFICIENT_SCOPE,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  SERVER_STOPPED,
  TOO_MANY_REQUESTS,
  UNAVAILABLE,
} from './errors/error-codes.js';
export type { ErrorObject } from './errors/error-object.js';
export { createCausedError, getErrorType } from './errors/error-type.js';
export { describeIssues, type Issue } from './errors/issues.js';
export { createErrorReporter, logError, logErrorMessage } from './errors/log-error.js';
export {
  createPeerError,
  createUnknownOutcomeError,
  createUnknownOutcomeObject,
  EXECUTED,
  EXECUTED_ADVICE,
  hasExecuted,
  hasUnknownOutcome,
  isConnectionFailure,
  isConnectionLoss,
  isOwnError,
  OUTCOME_ADVICE,
  OUTCOME_UNKNOWN,
  UNKNOWN_OUTCOME,
} from './errors/outcome.js';
export { getRetryAfterMs, parseRetryAfter } from './errors/retry-after.js';
export { isTemporaryStatus, isUnavailableStatus } from './errors/temporary-status.js';
export {
  type ArgumentChanges,
  addDefaults,
  changeInputSchema,
  findArgumentFaults,
  listHiddenArguments,
} from './json/argument-changes.js';
export { toCanonicalJson } from './json/canonical-json.js';
export { copyWithout } from './json/copy-without.js';
export { findJsonLoss, JSON_VALUES, type JsonLoss } from './json/json-loss.js';
export { describeType, getJsonType, isObject, isTextList, type JsonObject, toJsonObject } from './json/json-object.js';
export { keepTextsIn, parseJsonText, stringifyJson, stringifyMember } from './json/json-text.js';
export { copyJson, copyThroughJson, findJsonFault } from './json/json-value.js';
export {
  describeInexactInteger,
  findInexactInteger,
  findKeptInteger,
  keepIntegers,
  setInteger,
  stringifyForProgram,
} from './json/kept-integers.js';
export { parseJsonObject, tryParseJson } from './json/parse-json.js';
export { decodePointerToken, escapePointerKey, parseJsonPointer, toJsonPointer } from './json/pointer-token.js';
export { shorten, takeBeginning } from './json/shorten.js';
export type { AuthInfo } from './limits/auth-info.js';
export { type CallerIdentity, getOwnerKey, identifyCaller, isSameOwner } from './limits/caller-identity.js';
export { CompactMap } from './limits/compact-map.js';
export { CursorTracker } from './limits/cursor-tracker.js';
export { JsonCache } from './limits/json-cache.js';
export { setNewest } from './limits/set-newest.js';
export { getCallerKey, MAX_SHARE, SharedLimit, UNKNOWN_CALLER } from './limits/shared-limit.js';
export { SharedMap } from './limits/shared-map.js';
export { addUrlScheme } from './net/add-url-scheme.js';
export { classifyHost, extractEmbeddedIpv4 } from './net/address-class.js';
export { getCertificateAdvice } from './net/certificate-advice.js';
export {
  type AuthFetch,
  type AuthFetchResponse,
  type ByteFetch,
  createGuardedFetch,
  fetchWithGlobal,
  type GuardedFetch,
  type GuardedFetchInit,
  type GuardedFetchOptions,
  redactUrl,
} from './net/guarded-fetch.js';
export { parseHostHeader, toUrlHost } from './net/host-header.js';
export {
  isEncryptedOrLocal,
  isLoopbackAddress,
  isLoopbackDomain,
  isLoopbackHost,
  parseIpAddress,
} from './net/loopback.js';
export { requireEncryption } from './net/require-encryption.js';
export { checkBrowserUrl, checkGuard, createUrlGuard, type GuardOptions, type UrlGuard } from './net/url-guard.js';
export {
  type Check,
  checkAbsoluteUrl,
  checkAnything,
  checkArray,
  checkAuthInfo,
  checkBoolean,
  checkCharacters,
  checkClock,
  checkEither,
  checkFalse,
  checkFilePath,
  checkFunction,
  checkHeaderFields,
  checkInteger,
  checkNullable,
  checkNumber,
  checkObject,
  checkOneOf,
  checkOptional,
  checkOrigin,
  checkPlain,
  checkRange,
  checkRecord,
  checkString,
  checkText,
  checkToken,
  checkWhole,
  describeMismatch,
  describeReceived,
  prependPath,
} from './options/check.js';
export { checkCacheHints } from './options/check-cache-hints.js';
export {
  checkOptions,
  type OptionChecks,
  type OptionShape,
  requireArgument,
  requireKnownOptions,
  requireOptions,
  requirePresentOptions,
  requireResult,
  requireShape,
} from './options/check-options.js';
export { checkStores, checkValues } from './options/check-stores.js';
export { checkMilliseconds, HTTP_TARGET_CHECKS, STDIO_TARGET_CHECKS } from './options/check-target.js';
export { chooseName } from './options/choose-name.js';
export { applyDefaults, type Complete, dropUndefined, type Optional } from './options/defaults.js';
export { findNearestKey } from './options/nearest-key.js';
export { describeUnknownName } from './options/unknown-name.js';
export {
  createTextContext,
  getFlagLength,
  getNeededLength,
  isLegitimate,
  isLegitimateSelector,
  type TextContext,
} from './redaction/character-context.js';
export { isIntroducer, readEscape } from './redaction/escape-sequences.js';
export {
  classifyHidden,
  createExcerpt,
  createHiddenSearch,
  escapeCharacter,
  escapeInvisible,
  escapeInvisibleJson,
  escapeJsonCharacter,
  hasInvisible,
  replaceInvisible,
  stripInvisible,
} from './redaction/invisible-characters.js';
export { type Redact, redactText, redactValue } from './redaction/json-values.js';
export { redactKnownValues } from './redaction/known-values.js';
export { toPublicText } from './redaction/public-text.js';
export { hasSecretPhrase, isSecretLabel, isSecretName } from './redaction/secret-names.js';
export {
  findSecretStart,
  isSecretWord,
  REDACTED,
  redactNamedSecrets,
  redactSecrets,
  redactTokens,
} from './redaction/secrets.js';
export { addFormat, decodeRecord, encodeRecord, splitFormat } from './stores/record-format.js';
export { FIRST_FORMAT, RECORD_KINDS } from './stores/record-kinds.js';
export { listReadable, markVersioned, skipUnknown, toRecordValues } from './stores/record-values.js';
export { type ServerDefaults, setServerDefaults, withServerDefaults } from './stores/server-defaults.js';
export type {
  BucketSize,
  Buckets,
  Bus,
  ListOptions,
  PutOptions,
  StoredValue,
  Stores,
  UnknownFormat,
  Values,
} from './stores/stores.js';
export { toTypedValues } from './stores/typed-values.js';
export { createUnknownFormatLog, isUnknownFormat, type UnknownFormatLog } from './stores/unknown-formats.js';
export {
  checkKey,
  checkVersion,
  computeExpiry,
  createStoreClosedError,
  MAX_LISTED,
  MAX_VALUE_SIZE,
  serializeValue,
  toKeyRange,
} from './stores/validation.js';
export { getCancelReason } from './timing/cancel-reason.js';
export { type Clock, LATE_TIMER, MAX_TIMER_DELAY, systemClock } from './timing/clock.js';
export { type AbortSignalLike, LazyAbortSignal, toAbortSignal } from './timing/lazy-abort-signal.js';
export {
  catchMaybe,
  isPromise,
  type MaybePromise,
  markHandled,
  settleMaybe,
  thenMaybe,
} from './timing/maybe-promise.js';
export { runNextTurn } from './timing/next-turn.js';
export { DURATION_PATTERN, parseDuration } from './timing/parse-duration.js';
export { rejectOnAbort } from './timing/reject-on-abort.js';
export {
  isStoreClosed,
  type PeriodicRun,
  type PeriodicRunOptions,
  runPeriodically,
} from './timing/run-periodically.js';
export { runWithTimeout } from './timing/run-with-timeout.js';
export { sleep } from './timing/sleep.js';
export { decodeComponent } from './uris/decode-component.js';
export { addLabel, getKeptScheme } from './uris/kept-scheme.js';
export { mapPageAddresses, readPageAddresses } from './uris/page-addresses.js';
export { isUrlText, parseUrl, parseWebUrl } from './uris/parse-url.js';
export { decodePathPart, encodePathPart } from './uris/path-part.js';
export { addUriPrefix, removeUriPrefix } from './uris/prefixed-uri.js';
export { withPublicUris } from './uris/public-uris.js';
export { unwrapUri, type WrappedResource, wrapUri } from './uris/wrapped-uri.js';
