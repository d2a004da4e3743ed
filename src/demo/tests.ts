// Which test file of pqrs names which of its stories; written by scripts/demo-tests.ts.

/** A line for each file: its path, then the stories. */
export const DEMO_TESTS = `
test/agents/credentials.test.ts PQRS-40
test/agents/leases.test.ts PQRS-40 PQRS-48 PQRS-50
test/agents/plan-input.test.ts PQRS-49
test/agents/plan/left-out.test.ts PQRS-49
test/agents/plan/order.test.ts PQRS-49
test/agents/plan/plan.test.ts PQRS-49
test/agents/plan/replay.test.ts PQRS-49
test/agents/plan/slice.test.ts PQRS-49
test/agents/record-run-hostile.test.ts PQRS-42
test/agents/record-run.test.ts PQRS-41 PQRS-48 PQRS-84
test/agents/run-event-stream.test.ts PQRS-47
test/agents/run-state-lists.test.ts PQRS-47
test/agents/run-states.test.ts PQRS-48
test/assurance/addition-periods.test.ts PQRS-34
test/assurance/auto-verdict.test.ts PQRS-37
test/assurance/bundle.test.ts PQRS-36
test/assurance/coverage-results.test.ts PQRS-29 PQRS-39 PQRS-45
test/assurance/coverage-statuses.test.ts PQRS-29
test/assurance/coverage.test.ts PQRS-29
test/assurance/deletion-impact.test.ts PQRS-26 PQRS-27
test/assurance/dispositions.test.ts PQRS-34
test/assurance/edit-impact.test.ts PQRS-26
test/assurance/exports.test.ts PQRS-32 PQRS-39
test/assurance/first-said.test.ts PQRS-37
test/assurance/free-key.test.ts PQRS-22
test/assurance/impact.test.ts PQRS-26
test/assurance/judged-tests.test.ts PQRS-33 PQRS-34 PQRS-36
test/assurance/leaving-stories.test.ts PQRS-34
test/assurance/linked-stories.test.ts PQRS-45
test/assurance/load-results.test.ts PQRS-30 PQRS-45
test/assurance/newer-verdict.test.ts PQRS-35
test/assurance/settle-revision.test.ts PQRS-20 PQRS-25 PQRS-27
test/assurance/state-rows.test.ts PQRS-33
test/assurance/successive-coverage.test.ts PQRS-29
test/assurance/traces.test.ts PQRS-28 PQRS-29 PQRS-30
test/assurance/views-agree.test.ts PQRS-22 PQRS-29 PQRS-30 PQRS-39
test/assurance/workflow.test.ts PQRS-22 PQRS-39
test/assurance/write-traces.test.ts PQRS-28
test/build/executable.test.ts PQRS-82
test/cli/admin-socket.test.ts PQRS-82
test/cli/agent-faults.test.ts PQRS-43 PQRS-47 PQRS-48 PQRS-51
test/cli/agent.test.ts PQRS-40 PQRS-43 PQRS-48 PQRS-50 PQRS-51
test/cli/audit.test.ts PQRS-65
test/cli/backup.test.ts PQRS-83 PQRS-88 PQRS-90
test/cli/commands.test.ts PQRS-69 PQRS-80 PQRS-82 PQRS-83
test/cli/credential.test.ts PQRS-40
test/cli/demo.test.ts PQRS-70
test/cli/doctor.test.ts PQRS-91
test/cli/failure.test.ts PQRS-84
test/cli/help.test.ts PQRS-82
test/cli/import-data-folder.test.ts PQRS-5
test/cli/import.test.ts PQRS-5 PQRS-16
test/cli/keys.test.ts PQRS-36 PQRS-92
test/cli/lost-output.test.ts PQRS-69
test/cli/progress-bar.test.ts PQRS-5
test/cli/report.test.ts PQRS-46
test/cli/service.test.ts PQRS-70 PQRS-82 PQRS-86
test/cli/slug.test.ts PQRS-69
test/cli/token-file.test.ts PQRS-84
test/cli/whole-token.test.ts PQRS-69
test/config.test.ts PQRS-83
test/contract/agent-plan.test.ts PQRS-49
test/contract/agent-suite.test.ts PQRS-40 PQRS-50
test/contract/attachments.test.ts PQRS-59 PQRS-60
test/contract/audit.test.ts PQRS-65
test/contract/bodies.test.ts PQRS-75 PQRS-79
test/contract/canary.test.ts PQRS-73
test/contract/capacity.test.ts PQRS-71 PQRS-85 PQRS-86
test/contract/concurrency.test.ts PQRS-77
test/contract/cors.test.ts PQRS-72
test/contract/credentials.test.ts PQRS-40
test/contract/duplicates.test.ts PQRS-57 PQRS-59
test/contract/files.test.ts PQRS-61 PQRS-62 PQRS-68 PQRS-74
test/contract/filters.test.ts PQRS-58
test/contract/handoff-requests.test.ts PQRS-22 PQRS-24 PQRS-27 PQRS-35 PQRS-81
test/contract/handoff.test.ts PQRS-81
test/contract/hostile-files.test.ts PQRS-55 PQRS-61
test/contract/hostile-headers.test.ts PQRS-66 PQRS-71 PQRS-75
test/contract/hostile-paths.test.ts PQRS-74
test/contract/idempotency.test.ts PQRS-78
test/contract/impact.test.ts PQRS-26
test/contract/issue-agent.test.ts PQRS-55
test/contract/issue-filing.test.ts PQRS-55
test/contract/issue-moves.test.ts PQRS-56
test/contract/issue-widget.test.ts PQRS-59
test/contract/issues.test.ts PQRS-58 PQRS-77
test/contract/json.test.ts PQRS-79
test/contract/late-requests.test.ts PQRS-22 PQRS-24 PQRS-25 PQRS-81
test/contract/later-links.test.ts PQRS-29
test/contract/lent-values.test.ts PQRS-40
test/contract/limits.test.ts PQRS-71 PQRS-83
test/contract/link-targets.test.ts PQRS-29 PQRS-30 PQRS-32 PQRS-45
test/contract/lists.test.ts PQRS-76
test/contract/log-writing.test.ts PQRS-63 PQRS-64
test/contract/overlay-rules.test.ts PQRS-20 PQRS-22 PQRS-23 PQRS-24 PQRS-25 PQRS-27
test/contract/overlays.test.ts PQRS-23 PQRS-24 PQRS-25 PQRS-26 PQRS-27
test/contract/pages-between-imports.test.ts PQRS-29 PQRS-34 PQRS-76
test/contract/pages-between-writes.test.ts PQRS-52 PQRS-53 PQRS-54 PQRS-76
test/contract/probes.test.ts PQRS-87
test/contract/project-tokens.test.ts PQRS-1 PQRS-4 PQRS-69
test/contract/projects.test.ts PQRS-1 PQRS-2 PQRS-3 PQRS-4 PQRS-67 PQRS-70
test/contract/requirements.test.ts PQRS-1 PQRS-2 PQRS-4 PQRS-15 PQRS-17 PQRS-18 PQRS-19 PQRS-20 PQRS-78
test/contract/results-in-stories.test.ts PQRS-22 PQRS-29 PQRS-37 PQRS-41 PQRS-45 PQRS-50
test/contract/route-candidates.test.ts PQRS-54
test/contract/route-catalog.test.ts PQRS-53
test/contract/run-leases.test.ts PQRS-47 PQRS-48
test/contract/run-state.test.ts PQRS-47 PQRS-48
test/contract/scenarios-gherkin.test.ts PQRS-52
test/contract/scenarios.test.ts PQRS-52
test/contract/section-stories.test.ts PQRS-17 PQRS-25 PQRS-29 PQRS-34
test/contract/stories.test.ts PQRS-21 PQRS-22
test/contract/story-ids.test.ts PQRS-21 PQRS-22 PQRS-23 PQRS-27 PQRS-28 PQRS-31 PQRS-32 PQRS-33 PQRS-35 PQRS-36 PQRS-38 PQRS-45 PQRS-49 PQRS-50 PQRS-52 PQRS-55 PQRS-58 PQRS-79 PQRS-81
test/contract/system-logs.test.ts PQRS-64 PQRS-65
test/contract/test-commands.test.ts PQRS-38 PQRS-39
test/contract/test-runs-claims.test.ts PQRS-40 PQRS-48
test/contract/test-runs-fields.test.ts PQRS-41
test/contract/test-runs-reading.test.ts PQRS-44
test/contract/test-runs-shared.test.ts PQRS-42
test/contract/test-runs.test.ts PQRS-42 PQRS-43
test/contract/time.test.ts PQRS-62 PQRS-65 PQRS-66 PQRS-68 PQRS-69 PQRS-70 PQRS-92
test/contract/traceability.test.ts PQRS-29 PQRS-32
test/contract/traces.test.ts PQRS-28 PQRS-30 PQRS-31
test/contract/uploads.test.ts PQRS-60 PQRS-61
test/contract/validation-transfer.test.ts PQRS-33 PQRS-34 PQRS-35 PQRS-36
test/contract/verdict-rules.test.ts PQRS-29 PQRS-30 PQRS-33 PQRS-34 PQRS-35 PQRS-36
test/contract/walk-tokens.test.ts PQRS-66
test/contract/walk.test.ts PQRS-67 PQRS-68 PQRS-74
test/contract/workflow-requests.test.ts PQRS-22 PQRS-24 PQRS-29 PQRS-34
test/crash/backup-kill.test.ts PQRS-90
test/crash/disk-full.test.ts PQRS-85
test/crash/faults.test.ts PQRS-86
test/crash/fencing.test.ts PQRS-48 PQRS-50
test/crash/first-start.test.ts PQRS-84
test/crash/kill.test.ts PQRS-84
test/crash/migrations.test.ts PQRS-88
test/crash/repair.test.ts PQRS-91
test/crash/rotation.test.ts PQRS-92
test/crash/starts.test.ts PQRS-82 PQRS-84 PQRS-88
test/crash/uploads.test.ts PQRS-60 PQRS-86
test/crash/wrong-database.test.ts PQRS-84 PQRS-89
test/deno/contract.test.ts PQRS-82
test/deno/service.test.ts PQRS-82
test/evidence/fingerprints.test.ts PQRS-57 PQRS-64
test/evidence/issue-numbers.test.ts PQRS-55
test/evidence/issue-states.test.ts PQRS-56
test/evidence/links.test.ts PQRS-62
test/evidence/log-groups.test.ts PQRS-64
test/http/access.test.ts PQRS-67
test/http/api-document-lint.test.ts PQRS-80
test/http/api-document-pages.test.ts PQRS-12 PQRS-80
test/http/api-document-truth.test.ts PQRS-80
test/http/api-document.test.ts PQRS-80
test/http/body.test.ts PQRS-79
test/http/client-address.test.ts PQRS-71
test/http/content-disposition.test.ts PQRS-61
test/http/etag.test.ts PQRS-77
test/http/gate.test.ts PQRS-71
test/http/guard.test.ts PQRS-70 PQRS-71
test/http/masking.test.ts PQRS-40
test/http/media-type.test.ts PQRS-61
test/http/merge-patch.test.ts PQRS-77
test/http/pages.test.ts PQRS-76
test/http/ranges.test.ts PQRS-62
test/http/rate-limit.test.ts PQRS-71
test/http/request-parts.test.ts PQRS-65 PQRS-75
test/http/slow-clients.test.ts PQRS-71
test/http/tokens.test.ts PQRS-66
test/http/validate.test.ts PQRS-75
test/opening.test.ts PQRS-67
test/operations/backup.test.ts PQRS-90
test/operations/doctor.test.ts PQRS-91
test/operations/metrics.test.ts PQRS-87
test/operations/rotate-keys.test.ts PQRS-92
test/quality/commands.test.ts PQRS-38 PQRS-39
test/quality/expire-runs.test.ts PQRS-30
test/quality/flaky-places.test.ts PQRS-44
test/quality/route-catalog-build.test.ts PQRS-53
test/quality/route-state.test.ts PQRS-39 PQRS-53 PQRS-54
test/quality/run-views.test.ts PQRS-44
test/quality/share.test.ts PQRS-29
test/quality/sort-text.test.ts PQRS-53 PQRS-54
test/quality/story-links.test.ts PQRS-45
test/requirements/audit/audit.test.ts PQRS-20
test/requirements/audit/finding-codes.test.ts PQRS-20
test/requirements/export/formats.test.ts PQRS-17 PQRS-19
test/requirements/export/real-data.test.ts PQRS-19
test/requirements/export/reqif.test.ts PQRS-19
test/requirements/graph/graph.test.ts PQRS-15 PQRS-17 PQRS-18 PQRS-20
test/requirements/import/explained-documents.test.ts PQRS-9 PQRS-20
test/requirements/import/left-out.test.ts PQRS-20
test/requirements/import/progress.test.ts PQRS-16
test/requirements/import/scenario-tags.test.ts PQRS-11
test/requirements/import/source-path.test.ts PQRS-15
test/requirements/overlay/apply.test.ts PQRS-17 PQRS-26
test/requirements/overlay/edit-states.test.ts PQRS-23 PQRS-24 PQRS-25
test/requirements/overlay/overtaken.test.ts PQRS-24 PQRS-81
test/requirements/overlay/what-left.test.ts PQRS-25
test/requirements/real-data.test.ts PQRS-6 PQRS-7 PQRS-8 PQRS-9
test/requirements/settings.test.ts PQRS-2
test/requirements/sources/doorstop.test.ts PQRS-6 PQRS-15
test/requirements/sources/gherkin.test.ts PQRS-11 PQRS-15
test/requirements/sources/hostile-text.test.ts PQRS-15
test/requirements/sources/markdown-kept.test.ts PQRS-12
test/requirements/sources/markdown.test.ts PQRS-12 PQRS-15
test/requirements/sources/needs-json.test.ts PQRS-8
test/requirements/sources/openapi-hostile.test.ts PQRS-15
test/requirements/sources/openapi.test.ts PQRS-14
test/requirements/sources/openfasttrace.test.ts PQRS-10
test/requirements/sources/reqif-archive.test.ts PQRS-9 PQRS-15
test/requirements/sources/reqif-hostile.test.ts PQRS-15
test/requirements/sources/reqif-structure.test.ts PQRS-9
test/requirements/sources/reqif-xhtml.test.ts PQRS-9
test/requirements/sources/reqif.test.ts PQRS-9
test/requirements/sources/srs-json.test.ts PQRS-13
test/requirements/sources/strictdoc.test.ts PQRS-7 PQRS-15 PQRS-20
test/requirements/sources/tree-value.test.ts PQRS-8
test/sqld/contract.test.ts PQRS-89
test/sqld/doctor.test.ts PQRS-91
test/sqld/lease.test.ts PQRS-89
test/sqld/reads.test.ts PQRS-89
test/sqld/service.test.ts PQRS-89
test/sqld/transactions.test.ts PQRS-89
test/store/files.test.ts PQRS-60 PQRS-84
test/store/sealing-key.test.ts PQRS-40
test/store/search-index.test.ts PQRS-58
test/store/search-query.test.ts PQRS-58
test/store/write-queue.test.ts PQRS-84
`;
