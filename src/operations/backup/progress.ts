// How far a backup or a restore has come.

export const BACKUP_STAGES = ['database', 'checking', 'files', 'verifying'] as const;
export type BackupStage = (typeof BACKUP_STAGES)[number];

/** Is told how far a stage has come, as often as there is anything new. */
export type OnBackupProgress = (stage: BackupStage, done: number, total: number) => void;
