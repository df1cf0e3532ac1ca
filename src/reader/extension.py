"""Make Python-Markdown extensions that register one processor."""

from collections.abc import Callable

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor


def maker(
    name: str, processor: type[Postprocessor | Treeprocessor], priority: int
) -> Callable[..., Extension]:
    """Return the ``makeExtension`` of a module.

    Args:
        name: Name under which the processor is registered.
        processor: Class of the processor.
        priority: Its priority. Python-Markdown runs higher priorities first.
    """

    class ProcessorExtension(Extension):
        def extendMarkdown(self, md: Markdown) -> None:
            instance = processor(md)
            if isinstance(instance, Treeprocessor):
                md.treeprocessors.register(instance, name, priority)
            else:
                md.postprocessors.register(instance, name, priority)

    return ProcessorExtension
