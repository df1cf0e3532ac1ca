"""Make Python-Markdown extensions that register one processor."""

from collections.abc import Callable

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor


def maker(
    name: str, processor: type[Postprocessor | Treeprocessor], priority: int
) -> Callable[..., Extension]:
    """Return the ``makeExtension`` of a module. Higher priorities run first."""

    class ProcessorExtension(Extension):
        def extendMarkdown(self, md: Markdown) -> None:
            instance = processor(md)
            if isinstance(instance, Treeprocessor):
                md.treeprocessors.register(instance, name, priority)
            else:
                md.postprocessors.register(instance, name, priority)

    return ProcessorExtension
