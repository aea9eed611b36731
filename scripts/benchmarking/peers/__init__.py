"""Other environments and learners, each measured on what is most like King's own work; all come with extra `bench`."""
