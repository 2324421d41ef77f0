"""`madw report`: the marts as one HTML page that needs neither a network nor this program.

`tables` runs the queries of `queries/` on the published file, `charts` and `travel` draw what they
gave with what stands in `drawing`, and `page` puts all into `page.html`. One file of the warehouse
always gives the same bytes.
"""
