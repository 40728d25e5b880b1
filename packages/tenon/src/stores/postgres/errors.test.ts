import { describe, expect, it } from 'vitest';
import { importDriver } from '../remote/import-driver.js';
import { toPostgresError } from './errors.js';

const createError = (code: string, severity?: string) => Object.assign(new Error('secret-word'), { code, severity });

describe('errors of Postgres', () => {
  it.each([
    ['ECONNREFUSED', undefined, 'store/unavailable'],
    ['EPIPE', undefined, 'store/unavailable'],
    ['57P01', 'FATAL', 'store/unavailable'],
    ['57P03', 'FATAL', 'store/unavailable'],
    ['57014', 'ERROR', 'store/unavailable'],
    ['53300', 'FATAL', 'store/unavailable'],
    ['25006', 'ERROR', 'store/unavailable'],
    ['40P01', 'ERROR', 'store/unavailable'],
    ['08006', 'FATAL', 'store/unavailable'],
    ['53100', 'ERROR', 'store/full'],
    ['42501', 'ERROR', 'store/failed'],
    ['28P01', 'FATAL', 'store/failed'],
    ['3D000', 'FATAL', 'store/failed'],
  ])('become for %s of severity %s the code %3$s', (state, severity, code) => {
    const error = toPostgresError(createError(state, severity), 'Postgres at db');
    expect(error).toMatchObject({ code, message: expect.not.stringContaining('secret-word') });
  });

  it.each(['26000', '42P05', '08P01'])('name the option for a pooler after %s', state => {
    expect(toPostgresError(createError(state, 'ERROR'), 'Postgres').hint).toContain('transactionPooling: true');
  });

  it('name TLS if the server does not support it', () => {
    const error = toPostgresError(new Error('The server does not support SSL connections'), 'Postgres at db');
    expect(error).toMatchObject({ code: 'store/failed', summary: 'Postgres at db: the server does not support TLS' });
    expect(error.hint).toContain('`sslmode`');
  });

  it('differ from a package that is not installed', async () => {
    expect(await importDriver('no-such-package')).toBeUndefined();
  });
});
