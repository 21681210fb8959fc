//! Building blocks of the panes: plain data in, cells out. None of them knows the search.
