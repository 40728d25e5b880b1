import { valid as validPythonVersion } from '@renovatebot/pep440';
import { valid as validSemanticVersion } from 'semver';
import validateNpmName from 'validate-npm-package-name';
import type { RegistryPackage } from './registry-document.js';

type NamedPackage = Pick<RegistryPackage, 'identifier' | 'version'>;

/** Maximum length of a name or version. */
const MAX_LENGTH = 300;
const PRINTABLE = /^[!-~]+$/;
/** @see https://packaging.python.org/en/latest/specifications/name-normalization/ */
const PYPI_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const NUGET_NAME = /^(?=.{1,100}$)\w+(?:[.-]\w+)*$/;
/** Versions of NuGet have two to four numbers. `*` and brackets stand for several versions. */
const NUGET_VERSION = /^\d+(?:\.\d+){1,3}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const IMAGE_HOST =
  /^(?:localhost|[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)(?::\d{1,5})?$/;
/** @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
const IMAGE_PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;
/** A tag that contains a version. Others, such as `latest` and `main`, move by design. */
const IMAGE_TAG = /^(?=.{1,128}$)(?:[A-Za-z]+[._-]?)?\d\w*(?:[.-]\w+)*$/;

/** Checks of names and versions by the type of the package. */
const GRAMMARS: Readonly<Record<string, (found: NamedPackage) => boolean>> = {
  npm: ({ identifier, version = '' }) =>
    isNpmName(identifier) &&
    !/(?:^@?|\/)[.-]/.test(identifier) &&
    validSemanticVersion(version) === version.replace(/\+.*$/, ''),
  pypi: ({ identifier, version = '' }) =>
    PYPI_NAME.test(identifier) && /^\d/.test(version) && validPythonVersion(version) !== null,
  nuget: ({ identifier, version = '' }) => NUGET_NAME.test(identifier) && NUGET_VERSION.test(version),
  oci: isImage,
};

/**
 * Checks if a package has a name of its registry and one exact version. Paths, URLs, git references, aliases, ranges and
 * tags start something else, or something else tomorrow.
 */
export function isExactPackage({ registryType, identifier, version }: RegistryPackage): boolean {
  const texts = version === undefined ? [identifier] : [identifier, version];
  if (!texts.every(each => each.length <= MAX_LENGTH && PRINTABLE.test(each))) return false;
  return GRAMMARS[registryType]?.(version === undefined ? { identifier } : { identifier, version }) ?? false;
}

/** Checks a name as npm does for a package that is published today. Warnings are for names that only earlier ones have. */
function isNpmName(name: string): boolean {
  const { errors, warnings } = validateNpmName(name);
  return errors === undefined && warnings === undefined;
}

/** Checks the name of an image with its tag or digest. Older entries state the tag as the version. */
function isImage({ identifier, version = '' }: NamedPackage): boolean {
  const [, name = '', tag, digest] = /^(.*?)(?::([^/@:]+))?(?:@(.*))?$/.exec(identifier) ?? [];
  const parts = name.split('/');
  const [first = ''] = parts;
  const hasHost = parts.length > 1 && /[.:]|^localhost$/.test(first);
  if (hasHost && !IMAGE_HOST.test(first)) return false;
  if (!(hasHost ? parts.slice(1) : parts).every(each => IMAGE_PATH.test(each))) return false;
  if (tag !== undefined && digest === undefined && !IMAGE_TAG.test(tag)) return false;
  if (digest !== undefined) return IMAGE_DIGEST.test(digest);
  return tag !== undefined || IMAGE_TAG.test(version);
}
