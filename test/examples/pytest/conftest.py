def pytest_configure(config):
    config.addinivalue_line("markers", "story(id): the story that the test verifies")


def pytest_collection_modifyitems(items):
    for item in items:
        for mark in item.iter_markers("story"):
            item.user_properties.append(("story", mark.args[0]))
