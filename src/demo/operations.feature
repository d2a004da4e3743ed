Feature: Access, interface and operations
  # The server decides who may do what, and an answer of success means that the change is on disk.

  @PQRS-66 @PQRS-69
  Scenario: A revoked token is refused at once
    Given a token that works
    When "pqrs token revoke" is run with its id
    Then its next request is 401

  @PQRS-67
  Scenario: A token without the capability is told which would do
    Given a token with read:demo
    When it files an issue
    Then the answer is 403 and names "widget:write"

  @PQRS-3 @PQRS-68
  Scenario: Another project's issue does not exist
    Given two projects with an issue each
    When the owner of one changes the issue of the other
    Then the answer is 404, as for an id that nobody has

  @PQRS-70
  Scenario: A visitor reads the demo
    Given a server that was started with "--demo"
    When the graph is read with the demo token
    Then it holds the stories of pqrs itself

  @PQRS-71
  Scenario: A flood from one page is held off
    Given a widget token that has filed 20 issues in one second
    When it files another one
    Then the answer is 429 with "Retry-After"

  @PQRS-72
  Scenario: A page of another origin is not served
    Given no origin is configured
    When a browser sends a preflight
    Then the answer is 405

  @PQRS-74 @PQRS-75
  Scenario: An unknown field is told under both prefixes
    When an issue with the field "titel" is sent under each prefix
    Then both answers are 422 and point at "/titel"

  @PQRS-76
  Scenario: Pages do not shift
    Given a list of three pages of which one was read
    When a new issue is filed
    Then the second page has what it had before

  @PQRS-77
  Scenario: Two people change one issue
    Given two people who have read the same version
    When both send a change with "If-Match"
    Then one is answered 200 and the other 412

  @PQRS-78
  Scenario: A lost answer does no work twice
    Given a POST with an "Idempotency-Key" whose answer was lost
    When it is sent again
    Then the first answer is replayed
    And there is one issue

  @PQRS-81
  Scenario: An agent starts from the handoff alone
    Given an agent with an address and a token
    When it follows the next action of the handoff
    Then it has claimed a suite and reported a run

  @PQRS-82 @PQRS-83
  Scenario: The first start in an empty folder
    When the executable is started in an empty folder
    Then it prints a project, its owner token and a request to paste
    And a second process on this folder is refused

  @PQRS-84
  Scenario: A kill loses nothing that was answered
    Given a server that takes issues from 8 clients
    When its process is killed
    Then the next start has every issue that was answered with 201

  @PQRS-85
  Scenario: A full disk
    Given a disk without free space
    When evidence is attached
    Then the answer is 503 with "Retry-After"
    And the issue can still be read

  @PQRS-86 @PQRS-87
  Scenario: A stop lets a request end
    Given an upload under way
    When the server gets SIGTERM
    Then readiness is 503
    And the upload is answered 201

  @PQRS-88
  Scenario: A new version takes over
    Given a data folder of an earlier version
    When the new executable is started on it
    Then a copy of the database is set aside
    And all data is there

  @PQRS-90
  Scenario: A backup brings a lost machine back
    Given a backup of a running server
    When it is restored into a new folder
    Then a server on that folder has every issue, revision and file

  @PQRS-93
  Scenario: A member reads the console
    When the address of the server is opened in a browser
    Then the console asks for a token
    And it shows stories with their status
