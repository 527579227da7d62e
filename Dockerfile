# The command line in a container: docker run --rm -v "$PWD:/code" IMAGE check src/
FROM python:3.13-slim
COPY . /tmp/hybridlint
RUN pip install --no-cache-dir /tmp/hybridlint && rm -r /tmp/hybridlint && useradd --create-home hybridlint
USER hybridlint
WORKDIR /code
ENTRYPOINT ["hybridlint"]
CMD ["check"]
