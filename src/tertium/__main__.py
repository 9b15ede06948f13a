"""`python -m tertium` is `tertium`."""

from tertium.cli.start import main

if __name__ == "__main__":
    main()
