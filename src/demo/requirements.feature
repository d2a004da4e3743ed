Feature: Requirements
  # Sources become revisions, revisions are read as graphs and audits, and stories change under control.

  Background:
    Given a project with an owner token

  @PQRS-4 @PQRS-17
  Scenario: A folder of sources becomes the first revision
    Given a Markdown file with the stories US-1 and US-2
    And a feature with a scenario tagged "@US-1"
    When both are imported as one set
    Then the project has revision 1
    And the graph holds US-1 and US-2

  @PQRS-4
  Scenario: The same sources again make no revision
    Given a project at revision 1
    When the same set is imported again
    Then the project is still at revision 1

  @PQRS-4 @PQRS-20
  Scenario: One broken file leaves the others in place
    Given a set of one Markdown file and one ReqIF file that is cut off
    When the set is imported
    Then the stories of the Markdown file are in the graph
    And the audit names the ReqIF file and the line where it ends

  @PQRS-1
  Scenario: A member reads the project of the token
    When the projects are read with the token
    Then one project is listed, with its sources and settings

  @PQRS-2
  Scenario: A setting is merged into the others
    When "editPolicy" is set to "review"
    Then the other settings are as they were

  @PQRS-5
  Scenario: The command line imports beside a running server
    Given a running server
    When "pqrs import srs" is run in its folder
    Then the revision is served at once

  Scenario Outline: The reader is chosen by path and content
    When a set with <file> is imported
    Then the source has the format <format>

    # Doorstop
    @PQRS-6
    Examples:
      | file          | format   |
      | .doorstop.yml | doorstop |

    # StrictDoc
    @PQRS-7
    Examples:
      | file       | format    |
      | index.sdoc | strictdoc |

    # Sphinx-Needs
    @PQRS-8
    Examples:
      | file       | format     |
      | needs.json | needs-json |

    # ReqIF
    @PQRS-9
    Examples:
      | file         | format |
      | brakes.reqif | reqif  |

    # Gherkin
    @PQRS-11
    Examples:
      | file          | format  |
      | login.feature | gherkin |

    # Markdown
    @PQRS-12
    Examples:
      | file    | format   |
      | shop.md | markdown |

    # OpenAPI
    @PQRS-14
    Examples:
      | file      | format  |
      | shop.yaml | openapi |

  @PQRS-13 @PQRS-19
  Scenario: A graph moves to another instance
    Given the graph of a project, written as srs-json
    When that file is imported into another project
    Then both projects have the same nodes and edges

  @PQRS-18
  Scenario: White space changes no fingerprint
    Given a story with its fingerprint
    When its source comes with other line breaks
    Then the fingerprint is the same

  @PQRS-20
  Scenario: A reference to nothing is found
    Given a story that refines SYS-7, which is in no source
    When the audit is read
    Then it has an error "dangling_reference" on the line of the story

  @PQRS-21 @PQRS-22
  Scenario: A developer reads a story and what comes next
    Given a story with a statement and acceptance criteria and no test
    When its workflow is read
    Then the stage "specified" is done
    And the stage "covered" says that a test is missing

  @PQRS-23 @PQRS-26
  Scenario: An edit is weighed before it is saved
    Given a story that two others depend on
    When an edit of its statement is sent with "dryRun"
    Then the impact names both others at distance 1
    And no edit is stored

  @PQRS-24
  Scenario: An owner accepts an edit under review
    Given the edit policy is "review"
    And an edit by a token with srs:edit is proposed
    When an owner accepts it
    Then the effective graph shows the new text
    And the canonical graph shows the old one

  @PQRS-25
  Scenario: A new revision contradicts an edit
    Given an accepted edit of the title of a story
    When a revision arrives in which the source has yet another title
    Then the edit is "conflicted"
    And the audit has "edit_conflicted" on the story

  @PQRS-27
  Scenario: A source takes over an added story
    Given an active addition US-9
    When a revision arrives whose source has US-9
    Then the addition is "absorbed"
